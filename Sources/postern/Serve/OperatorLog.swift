import GatewayCore
import GatewayProcess
import GatewayRuntime

/// The gateway's log on standard error: one line for each event, as `name=value` or as a JSON object. The gateway never waits
/// for its reader.
struct OperatorLog: Sendable {
  /// The format of the log's lines.
  enum Format: String, CaseIterable, Sendable {
    case text
    case json
  }

  let level: LogLevel
  let format: Format
  var writer = LineWriter.standardError

  /// The log for a gateway.
  var gateway: GatewayLog {
    GatewayLog(level: level) { [self] event in
      writer.add(Self.line(event, format, at: SystemTime.now) + "\n")
    }
  }

  // MARK: Lines

  /// Returns the event as one line without its line feed. No input of a peer can add a line, or move a terminal's cursor.
  static func line(_ event: LogEvent, _ format: Format, at time: WallTime) -> String {
    let head = [("time", time.rfc3339(fractionDigits: 3)), ("level", event.level.rawValue), ("event", event.name)]
    let fields = head + event.fields.map { ($0.name, $0.value) }
    switch format {
    case .text: return fields.map { "\($0)=\(isPlain($1) ? $1 : quoted($1))" }.joined(separator: " ")
    case .json: return "{" + fields.map { "\(quoted($0)):\(quoted($1))" }.joined(separator: ",") + "}"
    }
  }

  private static func isPlain(_ value: String) -> Bool {
    !value.isEmpty && value.utf8.count <= valueBytesMax
      && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// The maximum length of a value; longer values are truncated.
  private static let valueBytesMax = 512

  /// Returns the value as a JSON string (RFC 8259 section 7), with all but graphic characters escaped.
  private static func quoted(_ value: String) -> String {
    var text = "\""
    var bytes = 0
    for scalar in value.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= valueBytesMax else {
        text += "…"
        break
      }
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default: VisibleText.append(scalar, to: &text)
      }
    }
    return text + "\""
  }
}
