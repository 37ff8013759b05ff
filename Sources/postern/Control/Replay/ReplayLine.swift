import GatewayCore
import GatewayJSON

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

  /// Reads the lines of a file in JSON Lines. Throws the number of the first malformed one, counted from 1.
  static func read(_ bytes: [UInt8]) throws(Malformed) -> [ReplayLine] {
    var lines: [ReplayLine] = []
    for (index, text) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let line = try? JSONCoder().decode(ReplayLine.self, from: Array(text)),
        (0...timeMax).contains(line.at_ms)
      else {
        throw Malformed(number: index + 1)
      }
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
