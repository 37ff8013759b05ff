import Foundation

/// One structured line on standard error. Fields are names and figures, never tokens or secrets.
enum LogLine {
  static func write(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    var line = "time=\(Date.now.ISO8601Format()) event=\(event)"
    for (name, value) in fields {
      let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
      line += " \(name)=" + (isPlain ? value : "\"\(value.replacingOccurrences(of: "\"", with: "'"))\"")
    }
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
