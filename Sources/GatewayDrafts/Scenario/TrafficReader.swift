internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The reader of a recording or a HAR file, piece by piece. A recording may be of any length: the reader keeps what it needs of
/// each connection and request, and no messages.
package struct TrafficReader {
  private enum Form {
    case unknown, recording, har
  }

  private var form = Form.unknown
  /// The bytes of a line whose end has not been read.
  private var rest: [UInt8] = []
  private var lines = RecordingLines()
  private var traffic = TrafficLog()

  package init() {}

  /// Reads the next piece of the file.
  package mutating func add(_ piece: [UInt8]) throws(Recording.Malformed) {
    var searched = rest.count
    rest += piece
    if form == .unknown {
      guard let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
        // The first line of a recording is short.
        if rest.count > RecordingLines.lineMax { form = .har }
        return
      }
      form = Self.isHead(rest[..<end]) ? .recording : .har
      searched = 0
    }
    guard form == .recording else {
      guard rest.count <= Recording.sizeMax else {
        throw Recording.Malformed(description: "a HAR file larger than \(Recording.sizeMax >> 20) MiB")
      }
      return
    }
    var start = 0
    while let end = rest[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
      try add(line: rest[start..<end], isWhole: true)
      start = end + 1
    }
    rest.removeFirst(start)
    guard rest.count <= RecordingLines.lineMax else {
      throw Recording.Malformed(
        description: "line \(lines.count + 1) is longer than \(RecordingLines.lineMax >> 20) MiB")
    }
  }

  /// Returns what the file shows, after its last piece.
  package mutating func finish() throws(Recording.Malformed) -> Traffic {
    if form == .unknown, Self.isHead(rest[...]) { form = .recording }
    guard form == .recording else { return try har() }
    try add(line: rest[...], isWhole: false)
    return traffic.traffic(lines)
  }

  private mutating func add(line: ArraySlice<UInt8>, isWhole: Bool) throws(Recording.Malformed) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    guard let event = try lines.read(Array(line), isWhole: isWhole) else { return }
    traffic.add(event, lines)
  }

  private func har() throws(Recording.Malformed) -> Traffic {
    guard rest.contains(where: { $0 > 0x20 }) else { throw Recording.Malformed(description: "it is empty") }
    guard let recording = try HARReader.read(rest) else {
      throw Recording.Malformed(
        description: "neither a recording, whose first line begins {\"postern_recording\":1, nor a HAR file")
    }
    guard !recording.connections.isEmpty else {
      throw Recording.Malformed(
        description: "a HAR file without WebSocket messages: no entry has _webSocketMessages. Export it from "
          + "Chromium's developer tools, or with Playwright's record_har_content=\"embed\"")
    }
    return Traffic(har: recording)
  }

  private static func isHead(_ line: ArraySlice<UInt8>) -> Bool {
    let document = try? JSONDocument.parse(Array(line), sizeMax: RecordingLines.lineMax)
    return document?.root["postern_recording"] != nil
  }
}
