import Foundation
import GatewayFleet
import GatewayKit

@testable import GatewayCore
@testable import GatewayIdentity
@testable import GatewayReport

/// Short texts: addresses, fields, queries, ids, and what is written behind a flag.
enum TextTargets {
  static let all = [
    FuzzTarget("address", address), FuzzTarget("http-fields", fields), FuzzTarget("dates", dates),
    FuzzTarget("query", query), FuzzTarget("ids", ids), FuzzTarget("flag-values", flagValues),
  ]

  static func address(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let address = WebAddress(text) {
      let port = address.port.map { ":\($0)" } ?? ""
      let host = address.host.utf8.contains(UInt8(ascii: ":")) ? "[\(address.host)]" : address.host
      let again = WebAddress(
        "\(address.scheme)://\(host)\(port)\(address.path)\(address.query.map { "?\($0)" } ?? "")")
      try hold(again?.authority == address.authority && again?.path == address.path, "\(address)")
      try hold(again?.query == address.query && address.port.map { (0...65_535).contains($0) } ?? true, "\(address)")
    }
    if let authority = Authority(text) { _ = (authority.address, authority.isLoopback) }
    _ = Authority.ofAddress(text)
    let address = IPAddress(text)
    var binary = [UInt8](repeating: 0, count: 16)
    let isFour = !bytes.contains(0) && inet_pton(AF_INET, text, &binary) == 1
    if isFour { try hold(address?.bytes == Array(binary[..<4]), "inet_pton reads \(text) otherwise") }
    let isSix = !bytes.contains(0) && inet_pton(AF_INET6, text, &binary) == 1
    if isSix { try hold(address != nil, "inet_pton reads \(text)") }
    if let address { try hold(IPAddress(address.description) == address, "\(text), and \(address)") }
    if let network = IPNetwork(text), let address { _ = network.contains(address) }
  }

  static func fields(_ bytes: [UInt8]) throws {
    let now = WallTime(seconds: 1_800_000_000)
    let text = String(decoding: bytes, as: UTF8.self)
    let proxies = TrustedProxies(["127.0.0.1/32", "10.0.0.0/8"].compactMap(IPNetwork.init))
    for name in ["forwarded", "x-forwarded-for"] {
      let client = proxies.client(of: [HTTPField(name, text)], from: "127.0.0.1")
      try hold(IPAddress(client) != nil, "a client at \(client)")
    }
    var response = HTTPResponse(status: 503)
    response.headers = ["retry-after", "cache-control", "age", "date"].map { HTTPField($0, text) }
    if let wait = RetryAfter.read(response, at: now) {
      try hold(wait >= .zero && wait <= RetryAfter.longest, "a wait of \(wait)")
    }
    if let life = Freshness.read(response) { try hold(life >= .zero, "a life of \(life)") }
    let request = HTTPRequest(method: "GET", path: "/", headers: [HTTPField("host", text), HTTPField("cookie", text)])
    _ = request.host
  }

  static func dates(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let time = WallTime(httpDate: text) {
      try hold(WallTime(httpDate: time.httpDate) == time, "\(text), and \(time.httpDate)")
    }
    if let time = WallTime(rfc3339: text) {
      let again = time.rfc3339(fractionDigits: 9)
      try hold(WallTime(rfc3339: again) == time, "\(text), and \(again)")
    }
  }

  static func query(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let encoded = PercentEncoding.encode(text)
    try hold(PercentEncoding.decode(encoded)?.utf8.elementsEqual(text.utf8) == true, encoded)
    _ = PercentEncoding.decode(text)
    guard let parameters = QueryString.parameters(of: Substring(text)) else { return }
    let again = parameters.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      .joined(separator: "&")
    let read = QueryString.parameters(of: Substring(again)) ?? []
    try hold(read.count == parameters.count, "\(text), and \(again)")
    for (one, other) in zip(parameters, read) {
      let isSame = one.name.utf8.elementsEqual(other.name.utf8) && one.value.utf8.elementsEqual(other.value.utf8)
      try hold(isSame, "\(text), and \(again)")
    }
  }

  static func ids(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let id = ConnectionID(text) {
      try hold(id.description.utf8.elementsEqual(text.utf8), "\(text), and \(id)")
      try hold(ConnectionID(rawValue: id.rawValue) == id && id.life.node == id.node, "\(id)")
    }
    if let call = CallID(cid: text) { try hold("\(call.type):\(call.id)".utf8.elementsEqual(text.utf8), text) }
    if let print = TokenFingerprint(text) {
      try hold(print.description == text.lowercased(), "\(text), and \(print)")
    }
  }

  static func flagValues(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let duration = DurationText.parse(text) {
      try hold(duration >= .zero && duration.nanoseconds <= 9_000_000_000_000_000_000, "\(duration)")
    }
    if let share = Share.parse(text) { try hold((0...1).contains(share), "\(share)") }
    _ = try? BudgetText.parse(text)
    if let mix = try? BehaviourMix(parsing: text) {
      try hold(mix.counts(of: 1_000).values.reduce(0, +) == 1_000, "\(mix)")
    }
    if let threshold = try? Threshold(parsing: text) {
      var result = StormResult()
      result.seconds = 12.5
      result.connects.attempted = 42
      _ = (threshold.judge(result), threshold.judge(StormResult()), threshold.holds(result, ofShare: 1e-9))
      try hold((try? Threshold(parsing: threshold.description))?.limit == threshold.limit, threshold.description)
    }
    if let rule = try? StopRule(parsing: text) {
      var watch = StopWatch([rule])
      var progress = StormProgress()
      for seconds in [0, 0.5, 700] {
        progress.seconds = seconds
        _ = watch.reason(progress)
      }
    }
  }
}
