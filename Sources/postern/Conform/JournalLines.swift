import Foundation

/// Lines of a journal as people read them: `412  1.204 s  closed  code=1012`.
enum JournalLines {
  /// Those of an answer's `lines`.
  static func texts(_ answer: Data) -> [String] {
    guard let content = try? JSONSerialization.jsonObject(with: answer) as? [String: Any],
      let lines = content["lines"] as? [[String: Any]]
    else { return [] }
    return lines.map(text)
  }

  private static let own: Set<String> = ["n", "at_ms", "real_ms", "time", "kind", "user", "dialect"]

  private static func text(_ line: [String: Any]) -> String {
    let details = line.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let real = String(format: "%.3f s", (line["real_ms"] as? Double ?? 0) / 1_000)
    return (["\(line["n"] ?? "")", real, "\(line["kind"] ?? "")"] + details).joined(separator: "  ")
  }
}
