internal import GatewayCore
internal import GatewayJSON

/// The reader of recordings in JSON Lines: of `postern proxy --record` and `postern ctl record`.
enum RecordingReader {
  static func read(_ bytes: [UInt8]) throws(Recording.Malformed) -> Recording {
    var (recording, lines) = (Recording(), RecordingLines())
    var numbers: [Name: Int] = [:]
    for text in bytes.split(separator: UInt8(ascii: "\n")) {
      guard lines.count < Recording.entriesMax * 4 else { throw Recording.Malformed(description: "too many lines") }
      guard let event = try lines.read(Array(text), isWhole: true) else { continue }
      add(event.kind, event.line, event.at, event.number, to: &recording, &numbers)
    }
    guard lines.count > 0 else { throw Recording.Malformed(description: "it is empty") }
    (recording.tokens, recording.began, recording.lost) = (lines.tokens, lines.began, lines.lost)
    recording.wires = lines.wires
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
      guard let place = connection.flatMap({ numbers[$0] }) else { return }
      guard let payload = line["payload"]?.string else {
        if kind == "message_in" { recording.messagesLeftOut &+= 1 }
        return
      }
      recording.connections[place].messages.append(
        Recording.Message(
          at: at, line: number, isOfClient: kind == "message_in", text: payload,
          isBinary: line["binary"]?.bool == true, isPacked: line["encoding"]?.equals("msgpack") == true))
    case "closed":
      guard let place = connection.flatMap({ numbers[$0] }) else { return }
      recording.connections[place].end = Recording.End(
        at: at, code: Int(clamping: line["code"]?.integer ?? 0), isOfGateway: line["by"]?.equals("gateway") == true,
        isLost: line["by"]?.equals("transport") == true, isOrdered: recording.connections[place].hasOrderedEnd)
    case "ordered":
      guard let place = connection.flatMap({ numbers[$0] }) else { return }
      let isExpiry = line["order"]?.equals("expire") == true
      if isExpiry || line["order"]?.equals("refresh") == true {
        recording.connections[place].asks.append(Recording.Ask(at: at, line: number, isExpiry: isExpiry))
      } else if line["order"]?.equals("disconnect") == true {
        recording.connections[place].hasOrderedEnd = true
      }
    case "refresh_requested":
      guard let place = connection.flatMap({ numbers[$0] }) else { return }
      recording.connections[place].asks.append(
        Recording.Ask(at: at, line: number, isExpiry: line["cause"]?.equals("expiry") == true))
    case "upgrade_refused":
      if let exchange = exchange(line, at, number), recording.refusals.count < Recording.entriesMax {
        recording.refusals.append(exchange)
      }
    case "http_answered":
      if let exchange = exchange(line, at, number), recording.exchanges.count < Recording.entriesMax {
        recording.exchanges.append(exchange)
      }
    default: break
    }
  }

  static func exchange(_ line: JSONView, _ at: Int64, _ number: Int) -> Recording.Exchange? {
    guard let request = line["request"], let path = request["path"]?.string else { return nil }
    let answer = line["answer"]
    return Recording.Exchange(
      at: at, line: number, method: request["method"]?.string ?? "GET", path: DraftText.withoutHoles(path),
      query: pairs(request["query"]),
      headers: pairs(request["headers"]), body: request["body"]?.string,
      status: Int(clamping: answer?["status"]?.integer ?? 0), answerHeaders: pairs(answer?["headers"]),
      answer: answer?["body"]?.string, took: Recording.time(line["took_ms"]?.number))
  }

  private static func pairs(_ list: JSONView?) -> [Recording.Pair] {
    (list?.elements ?? []).compactMap { pair in
      guard let name = pair.element(0)?.string, let value = pair.element(1)?.string else { return nil }
      return Recording.Pair(name: DraftText.withoutHoles(name), value: DraftText.withoutHoles(value))
    }
  }
}
