package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
package import GatewayRuntime

/// A recording of a journal: its lines with messages, upgrades and HTTP, and with names in the place of secrets.
///
/// `@unchecked Sendable`: used only on the journal's loop.
package final class Recorder: JournalRecorder, @unchecked Sendable {
  /// The largest recording unless another is asked for, in bytes.
  package static let bytesMaxUsual = 1 << 30
  /// A longer message is left out.
  private static let messageMax = 1 << 16

  private let journal: Journal
  private weak var sink: (any RecordingSink)?
  private let bytesMax: Int
  private var scrubber = SecretScrubber()
  private var (bytes, lines, lost, lostSinceLine) = (0, 0, 0, 0)
  private var hasEnded = false

  /// Begins a recording; the caller holds the sink. Throws `GatewayError.tooMany` if there are too many of the journal.
  package init(of journal: Journal, to sink: any RecordingSink, bytesMax: Int = bytesMaxUsual) throws(GatewayError) {
    (self.journal, self.sink, self.bytesMax) = (journal, sink, bytesMax)
    try journal.attach(self)
    put(
      JSONWriter.object { json in
        json.member("postern_recording", 1)
        json.member("began", journal.loop.wallTime.rfc3339(fractionDigits: 3))
        json.name("wires")
        json.beginArray()
        for name in journal.dialects { json.string(name) }
        json.endArray()
      })
  }

  package func journalWrote(
    _ line: JournalLine, saying message: UnsafeRawBufferPointer?, _ kind: Frame.Kind, of exchange: HTTPExchange?
  ) {
    guard !hasEnded else { return }
    var line = line
    line.user = line.user.map { UserID(scrubber.word($0.rawValue)) }
    let packed = message.flatMap { kind == .binary ? MessagePack.json($0) : nil }
    line.payload = message.flatMap { packed.map(text) ?? text($0) }
    let isPacked = packed != nil && line.payload != nil
    let isBinary = message != nil && kind == .binary
    let exchanged = exchange.map { RecordedExchange($0, &scrubber) }
    for token in scrubber.takeTokens() { put(Self.text(of: token)) }
    var json = JSONWriter(capacity: 512)
    JournalText.write(line, to: &json) { json in
      if isBinary { json.member("binary", true) }
      if isPacked { json.member("encoding", "msgpack") }
      if let took = exchange?.took { json.member("took_ms", took.milliseconds) }
      exchanged?.write(to: &json)
    }
    put(json.bytes)
  }

  package func journalEnded() { end() }

  /// Ends the recording, with its last line.
  package func end() { end(isFull: false) }

  private func end(isFull: Bool) {
    guard !hasEnded else { return }
    hasEnded = true
    journal.detach(self)
    let last = JSONWriter.object { json in
      json.member("recording_ended", isFull ? "full" : "stopped")
      json.member("at_ms", journal.sessionAge.milliseconds)
      json.member("lines", Int64(lines))
      json.member("lost", Int64(lost))
    }
    sink?.end(with: last + [0x0a], isFull: isFull)
  }

  // MARK: Lines

  private func put(_ line: [UInt8]) {
    guard !hasEnded, let sink else { return }
    guard bytes + line.count < bytesMax else { return end(isFull: true) }
    if lostSinceLine > 0 {
      let gap = JSONWriter.object { $0.member("recording_lost", Int64(lostSinceLine)) }
      if sink.take(gap + [0x0a]) {
        bytes += gap.count + 1
        lostSinceLine = 0
      }
    }
    guard sink.take(line + [0x0a]) else {
      lost += 1
      lostSinceLine += 1
      return
    }
    bytes += line.count + 1
    lines += 1
  }

  /// Returns the JSON of a message in MessagePack without its secrets; nil if it is too long.
  private func text(_ json: [UInt8]) -> String? { json.count <= Self.messageMax ? scrubber.text(json) : nil }

  /// Returns a message without its secrets; nil if it is not text.
  private func text(_ message: UnsafeRawBufferPointer) -> String? {
    message.count <= Self.messageMax && RecordedExchange.isText(message) ? scrubber.text(message) : nil
  }

  private static func text(of token: NamedToken) -> [UInt8] {
    JSONWriter.object { json in
      json.member("secret", token.name)
      json.member("form", "jwt")
      if let issued = token.issued { json.member("issued_ms", issued.nanoseconds / 1_000_000) }
      if let end = token.end { json.member("ends_ms", end.nanoseconds / 1_000_000) }
      if let user = token.user { json.member("user", user) }
    }
  }
}
