internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The reader of HAR files with WebSocket messages, as Chromium and Playwright write them. Secrets become names as it reads.
///
/// A HAR file has no pings, no close codes and no fragments.
enum HARReader {
  private static let depthMax = 64
  private static let messageMax = 1 << 16
  /// A larger time of a message is one in milliseconds: the year 5138 in seconds, 1973 in milliseconds.
  private static let secondsMax = 1e11

  /// Reads a file; nil if it is no HAR file.
  static func read(_ bytes: [UInt8]) throws(Recording.Malformed) -> Recording? {
    guard bytes.first(where: { ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].contains($0) }) == UInt8(ascii: "{") else {
      return nil
    }
    let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf])
    let text = isMarked ? Array(bytes.dropFirst(3)) : bytes
    guard let document = try? JSONDocument.parse(text, sizeMax: Recording.sizeMax, depthMax: depthMax) else {
      return nil
    }
    guard let entries = document.root["log"]?["entries"]?.elements else { return nil }
    guard entries.count <= Recording.entriesMax else { throw Recording.Malformed(description: "too many entries") }
    var reading = Reading()
    for (index, entry) in entries.enumerated() { reading.add(entry, index + 1) }
    return reading.recording
  }

  private struct Reading {
    var recording = Recording()
    private var scrubber = SecretScrubber()

    init() {
      recording.isHAR = true
      recording.began = 0
    }

    mutating func add(_ entry: JSONView, _ number: Int) {
      guard let request = entry["request"], let url = request["url"]?.string else { return }
      let at =
        entry["startedDateTime"]?.string.flatMap { WallTime(rfc3339: $0) }.map { $0.nanoseconds / 1_000_000 } ?? 0
      let took = Recording.time(entry["time"]?.number).flatMap { $0 >= 0 ? $0 : nil }
      let exchange = exchange(request, entry["response"], url, at, took, number)
      let isSocket = entry["_webSocketMessages"] != nil || entry["_resourceType"]?.equals("websocket") == true
      if isSocket, exchange.status >= 300 {
        recording.refusals.append(exchange)
      } else if let messages = entry["_webSocketMessages"]?.elements {
        var connection = Recording.Connection(openedAt: at, line: number, upgrade: exchange)
        for message in messages {
          if let message = self.message(message, number) { connection.messages.append(message) }
        }
        recording.connections.append(connection)
      } else {
        recording.exchanges.append(exchange)
      }
      for token in scrubber.takeTokens() {
        recording.tokens[token.name] = Recording.Token(
          issued: token.issued.map { $0.nanoseconds / 1_000_000 }, ends: token.end.map { $0.nanoseconds / 1_000_000 },
          user: token.user)
      }
    }

    private mutating func message(_ message: JSONView, _ number: Int) -> Recording.Message? {
      guard let data = message["data"]?.string,
        let at = Recording.time(message["time"]?.number.map(HARReader.milliseconds))
      else { return nil }
      let isText = message["opcode"]?.number == 1
      guard let sent = isText ? Array(data.utf8) : Base64.decode(data) else { return nil }
      let packed = isText ? nil : MessagePack.json(sent)
      let bytes = packed ?? sent
      guard bytes.count <= HARReader.messageMax,
        message["opcode"]?.number == 1 || message["opcode"]?.number == 2,
        String(validating: bytes, as: UTF8.self) != nil
      else { return nil }
      return Recording.Message(
        at: at, line: number, isOfClient: message["type"]?.equals("send") == true, text: scrubber.text(bytes),
        isBinary: !isText, isPacked: packed != nil)
    }

    private mutating func exchange(
      _ request: JSONView, _ response: JSONView?, _ url: String, _ at: Int64, _ took: Int64?,
      _ number: Int
    ) -> Recording.Exchange {
      let (path, query) = HARReader.target(of: url)
      let body = request["postData"]?["text"]?.string
      let answer = response?["content"]?["text"]?.string
      let isBase64 = response?["content"]?["encoding"]?.equals("base64") == true
      let answerBytes = answer.flatMap { isBase64 ? Base64.decode($0) : Array($0.utf8) }
      return Recording.Exchange(
        at: at, line: number, method: request["method"]?.string ?? "GET",
        path: DraftText.withoutHoles(scrubber.path(path)),
        query: query.map {
          pair($0.name, $0.value)
        },
        headers: pairs(request["headers"]), body: body.flatMap { text(Array($0.utf8)) },
        status: Int(clamping: Recording.time(response?["status"]?.number) ?? 0),
        answerHeaders: pairs(response?["headers"]), answer: answerBytes.flatMap { text($0) }, took: took)
    }

    private mutating func text(_ bytes: [UInt8]) -> String? {
      bytes.count <= HARReader.messageMax && String(validating: bytes, as: UTF8.self) != nil
        ? scrubber.text(bytes) : nil
    }

    private mutating func pairs(_ list: JSONView?) -> [Recording.Pair] {
      var pairs: [Recording.Pair] = []
      for field in list?.elements ?? [] {
        guard let name = field["name"]?.string?.lowercased(), let value = field["value"]?.string else { continue }
        pairs.append(pair(name, value))
      }
      return pairs
    }

    private mutating func pair(_ name: String, _ value: String) -> Recording.Pair {
      Recording.Pair(
        name: DraftText.withoutHoles(scrubber.word(name)),
        value: DraftText.withoutHoles(scrubber.value(value, named: name)))
    }
  }

  /// Returns the time of a message in milliseconds since 1970. Chromium writes seconds, Playwright milliseconds.
  private static func milliseconds(_ time: Double) -> Double { abs(time) < secondsMax ? time * 1_000 : time }

  /// Returns the path and the parameters of an address.
  private static func target(of url: String) -> (path: String, query: [Recording.Pair]) {
    let bytes = Array(url.utf8)
    let slashes = Array("://".utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: slashes) }.map { $0 + slashes.count } ?? 0
    let rest = bytes[start...].prefix { $0 != UInt8(ascii: "#") }
    let path = rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let mark = path.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
    let query = path[mark...].dropFirst().split(separator: UInt8(ascii: "&")).map { pair in
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return Recording.Pair(name: meant(pair[..<equals]), value: meant(pair[equals...].dropFirst()))
    }
    let name = String(decoding: path[..<mark], as: UTF8.self)
    return (name.isEmpty ? "/" : name, query)
  }

  private static func meant(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return PercentEncoding.decode(text) ?? text
  }
}
