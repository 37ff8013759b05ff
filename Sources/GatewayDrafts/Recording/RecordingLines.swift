internal import GatewayCore
internal import GatewayJSON

/// The lines of a recording, read one after the other, and what they say of the recording itself: the tokens, the lost lines,
/// the end.
struct RecordingLines {
  /// A line about an event.
  struct Event {
    let kind: Name
    let at: Int64
    /// The number of the line.
    let number: Int
    let line: JSONView
  }

  private(set) var tokens: [String: Recording.Token] = [:]
  /// The time of day at time 0, in milliseconds since 1970; nil if it is not known.
  private(set) var began: Int64?
  private(set) var lost = 0
  /// The wires of the head.
  private(set) var wires: [String] = []
  private(set) var count = 0
  /// Whether the recording has its last line, and the time of it.
  private(set) var hasEnd = false
  private(set) var endedAt: Int64?
  /// Whether the file ends within a line.
  private(set) var isCut = false

  /// A longer line is none of a recording.
  static let lineMax = 8 << 20

  /// Reads a line; nil if it is about no event.
  ///
  /// - Parameters:
  ///   - text: The line, without its line feed.
  ///   - isWhole: Whether a line feed is behind it. A line without one may be cut.
  mutating func read(_ text: [UInt8], isWhole: Bool) throws(Recording.Malformed) -> Event? {
    let number = count + 1
    guard let line = try? JSONDocument.parse(text, sizeMax: Self.lineMax).root, line.isObject else {
      guard !isWhole, count > 0 else { throw Recording.Malformed(description: "line \(number) is no JSON object") }
      isCut = true
      return nil
    }
    count = number
    if number == 1, line["postern_recording"]?.integer != 1 {
      throw Recording.Malformed(
        description: "line \(number) does not begin a recording: {\"postern_recording\":1,…} does")
    }
    if number == 1 { wires = (line["wires"]?.elements ?? []).prefix(64).compactMap { $0.string } }
    if let name = line["secret"]?.string {
      guard tokens.count < Recording.entriesMax else { return nil }
      tokens[name] = Recording.Token(
        issued: Recording.time(line["issued_ms"]?.number), ends: Recording.time(line["ends_ms"]?.number),
        user: line["user"]?.string)
    } else if let lost = line["recording_lost"]?.integer {
      self.lost = self.lost &+ Int(clamping: max(0, lost))
    } else if line["recording_ended"] != nil {
      hasEnd = true
      endedAt = Recording.time(line["at_ms"]?.number)
    } else if let kind = line["kind"]?.string {
      guard let at = Recording.time(line["at_ms"]?.number) else {
        throw Recording.Malformed(description: "line \(number) has no time at_ms")
      }
      if began == nil, let day = line["time"]?.string.flatMap({ WallTime(rfc3339: $0) }) {
        began = day.nanoseconds / 1_000_000 - at
      }
      return Event(kind: Name(kind), at: at, number: number, line: line)
    }
    return nil
  }
}
