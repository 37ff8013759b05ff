import GatewayCore
import GatewayJSON
import GatewayKit

/// A line of an exported journal.
struct ReplayLine: Decodable, Sendable {
  let n: Int
  let at_ms: Int64
  let kind: String
  var user: String?
  var user_kind: String?
  var connection: String?
  var dialect: String?
  var message: String?
  var error: Int?
  var error_name: String?
  var code: Int?
  var reason: String?
  var by: String?
  var cause: String?
  var order: String?
  var status: Int?
  var route: String?
  var time: String?
  var expires_in_ms: Int64?
  var bytes: Int?
  var payload: String?

  /// The largest time in milliseconds, some three hundred years: more than a journal has.
  private static let timeMax: Int64 = 10_000_000_000_000

  /// The beginnings of the lines of a recording that no journal has.
  private static let ofRecording = ["{\"postern_recording\":", "{\"secret\":", "{\"recording_"].map { Array($0.utf8) }

  /// Returns whether a file is a recording, which may begin in the midst of a journal.
  static func isRecording(_ bytes: [UInt8]) -> Bool { bytes.starts(with: ofRecording[0]) }

  /// Returns a message of a recording as a journal shows it, with a blank in the place of each token.
  static func blanked(_ payload: String) -> String {
    var (output, rest) = ([UInt8](), Array(payload.utf8)[...])
    let mark = Array("\"token-".utf8)
    while let byte = rest.first {
      let digits = rest.starts(with: mark) ? rest.dropFirst(mark.count).prefix { (0x30...0x39).contains($0) } : []
      if !digits.isEmpty, rest.dropFirst(mark.count + digits.count).first == UInt8(ascii: "\"") {
        output += "\"\(JSONRedaction.blank)\"".utf8
        rest = rest.dropFirst(mark.count + digits.count + 1)
      } else {
        output.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Reads the lines of a file in JSON Lines, a journal's or a recording's. Throws the number of the first malformed one, counted
  /// from 1.
  static func read(_ bytes: [UInt8]) throws(Malformed) -> [ReplayLine] {
    var lines: [ReplayLine] = []
    let isRecording = isRecording(bytes)
    for (index, text) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      if isRecording, ofRecording.contains(where: { text.starts(with: $0) }) { continue }
      guard var line = try? JSONCoder().decode(ReplayLine.self, from: Array(text)),
        (0...timeMax).contains(line.at_ms)
      else {
        throw Malformed(number: index + 1)
      }
      if isRecording { line.payload = line.payload.map(blanked) }
      lines.append(line)
    }
    return lines
  }

  struct Malformed: Error {
    let number: Int
  }

  /// Returns whether the line has that kind, compared by bytes.
  func isOf(_ kind: String) -> Bool { Name(self.kind) == Name(kind) }

  /// The part of the line that a replay must repeat; nil for kinds that are not replayed: HTTP requests, calls of the
  /// provider, and faults.
  var repeatable: Name? {
    let isPlayed = !["http_", "provider_", "fault"].contains { kind.utf8.starts(with: $0.utf8) }
    return isPlayed ? Name(text) : nil
  }

  /// The line as text for people.
  var text: String {
    let numbers = [("error", error), ("code", code), ("status", status)]
    let words = [
      ("user", user), ("message", message), ("cause", cause), ("order", order), ("reason", reason), ("by", by),
    ]
    return
      ([kind] + words.compactMap { name, value in value.map { "\(name)=\($0)" } }
      + numbers.compactMap { name, value in value.map { "\(name)=\($0)" } }).joined(separator: " ")
  }
}
