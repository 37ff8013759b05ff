import Foundation
import GatewayCore
import GatewayJSON
import GatewaySimulator
import Testing

// Checks that the gateway answers every input of a peer and survives; each vendor's tests call them. A trap ends the
// test process; the log then contains the seed, which repeats the same texts.

extension FuzzedGateway {
  /// A different seed for each day, so that the test keeps finding errors; `POSTERN_FUZZ_SEED` repeats one.
  private static let seed =
    ProcessInfo.processInfo.environment["POSTERN_FUZZ_SEED"].flatMap(UInt64.init)
    ?? UInt64(ProcessInfo.processInfo.systemUptime * 1_000)
  /// The number of texts for each dialect over HTTP, and as many over sockets; `POSTERN_FUZZ_COUNT` for a long search.
  private static let count =
    ProcessInfo.processInfo.environment["POSTERN_FUZZ_COUNT"].flatMap { Int($0) } ?? 800

  private var source: FuzzSource {
    print("fuzz of \(corpus.folder): POSTERN_FUZZ_SEED=\(Self.seed), \(corpus.objects.count) examples")
    return FuzzSource(seed: Self.seed, corpus: corpus)
  }

  /// Checks that every route answers every body, and never with an internal error.
  package func answersEveryBody() {
    var source = source
    var statuses: [Int: Int] = [:]
    for number in 0..<Self.count {
      let request = request(to: routes[number % routes.count], &source)
      guard let response = fetch(request) else {
        Issue.record("no answer to \(request.method) \(request.path), seed \(Self.seed), text \(number)")
        continue
      }
      statuses[response.status, default: 0] += 1
      if response.status == 500 {
        Issue.record(
          "500 to \(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self).prefix(300))")
      }
      let isJSON = response.headers.contains { $0.name == "content-type" && $0.value.hasPrefix("application/json") }
      if isJSON && !response.body.isEmpty
        && (try? JSONDocument.parse(response.body, sizeMax: 8 << 20, depthMax: 200)) == nil
      {
        Issue.record(
          "no JSON to \(request.method) \(request.path): \(String(decoding: response.body.prefix(300), as: UTF8.self))")
      }
    }
    let good = statuses.filter { $0.key < 400 }.values.reduce(0, +)
    #expect(good > Self.count / 200, "hardly anything gets as far as the handlers: \(statuses)")
    #expect(good < Self.count, "everything is let through: \(statuses)")
  }

  private func request(to route: HTTPRoute, _ source: inout FuzzSource) -> HTTPRequest {
    let path = route.pattern.split(separator: "/").map { segment in
      guard segment.hasPrefix("{") else { return String(segment) }
      return PercentEncoding.encode(source.isHit(0.8) ? source.pick(names) : source.text())
    }
    let caller = source.pick(callers)
    let isForm = source.isHit(0.1)
    let body = isForm ? QueryText.encode(source.form()) : source.object()
    let isRead = route.method == "GET" || route.method == "DELETE"
    return HTTPRequest(
      method: route.method, path: "/" + path.joined(separator: "/"),
      query: caller.query + (isRead || source.isHit(0.1) ? source.form() : []),
      headers: caller.headers
        + [HTTPField("content-type", isForm ? "application/x-www-form-urlencoded" : "application/json")],
      body: isRead && source.isHit(0.9) ? [] : Array(body.utf8))
  }

  /// Checks that every socket survives every message, and the next client can log in.
  package func takesEveryMessage() {
    var source = source
    var peers: [SimulatedPeer] = []
    var heard = 0
    for number in 0..<Self.count {
      peers.removeAll { peer in
        if !peer.isOpen { heard += peer.events.count }
        return !peer.isOpen
      }
      if peers.count < 4 {
        peers.append(source.isHit(0.7) ? connect() : dial(anyUpgrade(&source)))
      }
      let text = source.object()
      let command =
        corpus.commands.isEmpty ? "" : source.isHit(0.95) ? source.pick(corpus.commands) : "X"
      guard let peer = peers.randomElement(using: &source.generator) else { continue }
      peer.say(
        source.isHit(0.02)
          ? Frame(.binary, Array(text.utf8)) : Frame(text: command + text + (command.isEmpty ? "" : "\n")))
      // Some are sent together, as in one segment.
      if source.isHit(0.7) { world.settle() }
      if number % 500 == 499 { world.advance(by: .seconds(1)) }
    }
    world.advance(by: .seconds(5))
    heard += peers.reduce(0) { $0 + $1.events.count }
    #expect(heard > Self.count / 10, "hardly anything was answered")
    let last = connect()
    #expect(last.isOpen && !last.texts.isEmpty)
  }

  /// Returns an upgrade with parameters of all kinds.
  private func anyUpgrade(_ source: inout FuzzSource) -> HTTPRequest {
    var upgrade = upgrade
    upgrade.query += source.form(parameters)
    if source.isHit(0.3) { upgrade.query.append(HTTPField("json", source.object())) }
    return upgrade
  }
}

/// A writer of forms and queries.
private enum QueryText {
  static func encode(_ fields: [HTTPField]) -> String {
    fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
  }
}
