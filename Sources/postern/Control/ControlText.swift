import Foundation

/// The control API's answers for a person.
enum ControlText {
  private struct Page: Decodable {
    struct Session: Decodable {
      let id: String
      let phase: String
      let user_id: String?
      let user_kind: String?
      let expires_in_ms: Int64?
      let age_ms: Int64
      let peer: String
    }
    let sessions: [Session]
    let next: String?
  }

  private struct Reached: Decodable {
    let sessions: Int
  }

  private struct Problem: Decodable {
    struct Content: Decodable {
      let number: Int
      let name: String
      let message: String
    }
    let error: Content
  }

  /// A page of sessions as a table.
  static func sessions(_ answer: ControlClient.Answer) -> String {
    (try? JSONDecoder().decode(Page.self, from: answer.data)).map(table) ?? answer.text
  }

  /// How many sessions an order reached; nil if the answer does not say.
  static func sessionsReached(_ answer: ControlClient.Answer) -> Int? {
    (try? JSONDecoder().decode(Reached.self, from: answer.data))?.sessions
  }

  /// The same in words.
  static func reached(_ answer: ControlClient.Answer) -> String {
    sessionsReached(answer).map { "\($0) session\($0 == 1 ? "" : "s")" } ?? answer.text
  }

  static func error(_ answer: ControlClient.Answer) -> String {
    guard let problem = try? JSONDecoder().decode(Problem.self, from: answer.data) else {
      return "the gateway answered \(answer.status): \(answer.text)"
    }
    return "\(problem.error.number) \(problem.error.name): \(problem.error.message)"
  }

  private static func table(_ page: Page) -> String {
    var rows = [["SESSION", "USER", "KIND", "PHASE", "EXPIRES IN", "AGE", "PEER"]]
    for session in page.sessions {
      rows.append([
        session.id, session.user_id.map { VisibleText.escaping($0) } ?? "-", session.user_kind ?? "-", session.phase,
        session.expires_in_ms.map(seconds) ?? "-", seconds(session.age_ms), session.peer,
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n")
    if let next = page.next { text += "\nmore: --after \(next)" }
    return text
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    String(format: "%.1f s", Double(milliseconds) / 1000)
  }
}
