internal import GatewayCore
internal import GatewayJSON

/// The reader of recordings in JSON Lines: of `postern proxy --record` and `postern ctl record`.
enum RecordingReader {
  private static let lineMax = 8 << 20

  static func read(_ bytes: [UInt8]) throws(Recording.Malformed) -> Recording {
    var recording = Recording()
    var numbers: [Name: Int] = [:]
    var count = 0
    for (index, text) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let line = try? JSONDocument.parse(Array(text), sizeMax: lineMax).root, line.isObject else {
        throw Recording.Malformed(description: "line \(index + 1) is no JSON object")
      }
      count += 1
      if count == 1, line["postern_recording"]?.integer != 1 {
        throw Recording.Malformed(
          description: "line \(index + 1) does not begin a recording: {\"postern_recording\":1,…} does")
      }
      guard count <= Recording.entriesMax * 4 else { throw Recording.Malformed(description: "too many lines") }
      if let name = line["secret"]?.string {
        recording.tokens[name] = Recording.Token(
          issued: Recording.time(line["issued_ms"]?.number), ends: Recording.time(line["ends_ms"]?.number),
          user: line["user"]?.string)
      } else if let lost = line["recording_lost"]?.integer {
        recording.lost = recording.lost &+ Int(clamping: lost)
      } else if let kind = line["kind"]?.string {
        guard let at = Recording.time(line["at_ms"]?.number) else {
          throw Recording.Malformed(description: "line \(index + 1) has no time at_ms")
        }
        if recording.began == nil, let day = line["time"]?.string.flatMap({ WallTime(rfc3339: $0) }) {
          recording.began = day.nanoseconds / 1_000_000 - at
        }
        add(Name(kind), line, at, index + 1, to: &recording, &numbers)
      }
    }
    guard count > 0 else { throw Recording.Malformed(description: "it is empty") }
    return recording
  }

  private static func add(
    _ kind: Name, _ line: JSONView, _ at: Int64, _ number: Int, to recording: inout Recording,
    _ numbers: inout [Name: Int]
  ) {
    let connection = line["connection"]?.string.map { Name($0) }
    switch kind {
    case "connection_opened":
      guard let connection, recording.connections.count < Recording.entriesMax else { return }
      numbers[connection] = recording.connections.count
      recording.connections.append(
        Recording.Connection(openedAt: at, line: number, upgrade: exchange(line, at, number)))
    case "message_in", "message_out":
      guard let payload = line["payload"]?.string, let place = connection.flatMap({ numbers[$0] }) else { return }
      recording.connections[place].messages.append(
        Recording.Message(
          at: at, line: number, isOfClient: kind == "message_in", text: payload,
          isBinary: line["binary"]?.bool == true))
    case "closed":
      guard let place = connection.flatMap({ numbers[$0] }) else { return }
      recording.connections[place].end = Recording.End(
        at: at, code: Int(clamping: line["code"]?.integer ?? 0), isOfGateway: line["by"]?.equals("gateway") == true)
    case "http_answered":
      if let exchange = exchange(line, at, number), recording.exchanges.count < Recording.entriesMax {
        recording.exchanges.append(exchange)
      }
    default: break
    }
  }

  private static func exchange(_ line: JSONView, _ at: Int64, _ number: Int) -> Recording.Exchange? {
    guard let request = line["request"], let path = request["path"]?.string else { return nil }
    let answer = line["answer"]
    return Recording.Exchange(
      at: at, line: number, method: request["method"]?.string ?? "GET", path: DraftText.withoutHoles(path),
      query: pairs(request["query"]),
      headers: pairs(request["headers"]), body: request["body"]?.string,
      status: Int(clamping: answer?["status"]?.integer ?? 0), answerHeaders: pairs(answer?["headers"]),
      answer: answer?["body"]?.string)
  }

  private static func pairs(_ list: JSONView?) -> [Recording.Pair] {
    (list?.elements ?? []).compactMap { pair in
      guard let name = pair.element(0)?.string, let value = pair.element(1)?.string else { return nil }
      return Recording.Pair(name: DraftText.withoutHoles(name), value: DraftText.withoutHoles(value))
    }
  }
}
