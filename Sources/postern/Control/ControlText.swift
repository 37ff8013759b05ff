import GatewayControl
import GatewayFleet
import GatewayJSON

/// The control API's answers as text for people, e.g. sessions as a table.
enum ControlText {
  /// Returns a page of sessions as a table.
  static func sessions(_ answer: ControlClient.Answer) -> String {
    (try? JSONCoder().decode(SessionPage.self, from: answer.data)).map(table) ?? answer.text
  }

  /// Returns how many sessions an order reached; nil if the answer does not tell.
  static func sessionsReached(_ answer: ControlClient.Answer) -> Int? {
    (try? JSONCoder().decode(SessionsReached.self, from: answer.data))?.sessions
  }

  /// Returns how many sessions an order reached, as text.
  static func reached(_ answer: ControlClient.Answer) -> String {
    guard let reached = try? JSONCoder().decode(SessionsReached.self, from: answer.data) else { return answer.text }
    let count = "\(reached.sessions) session\(reached.sessions == 1 ? "" : "s")"
    return ([count] + noAnswer(from: reached.nodesMissing)).joined(separator: "; ")
  }

  /// Returns the part of a text that names the processes which an answer lacks; none if it lacks none.
  private static func noAnswer(from missing: [String]?) -> [String] {
    missing.map { ["no answer from \($0.map { VisibleText.escaping($0) }.joined(separator: ", "))"] } ?? []
  }

  /// Returns what was read again, with a line for the keys and one for the certificate.
  static func reloaded(_ answer: ControlClient.Answer) -> String {
    (try? JSONCoder().decode(ReloadAnswer.self, from: answer.data)).map(text) ?? answer.text
  }

  /// Returns the same if something old was kept, else nil.
  static func failedReload(_ answer: ControlClient.Answer) -> String? {
    guard let answer = try? JSONCoder().decode(ReloadAnswer.self, from: answer.data), answer.hasKept else { return nil }
    return text(answer)
  }

  private static func text(_ answer: ReloadAnswer) -> String {
    func line(_ name: String, _ part: ReloadAnswer.Part) -> String {
      switch part.result {
      case .reloaded: "\(name): read anew from \(named(part.files ?? []))"
      case .kept: "\(name): the old ones stay in use: \(VisibleText.escaping(part.error ?? "no reason"))"
      }
    }
    return ([line("keys", answer.keys)] + (answer.certificate.map { [line("certificate", $0)] } ?? []))
      .joined(separator: "\n")
  }

  private static func named(_ files: [String]) -> String {
    files.isEmpty ? "no file: none was given" : files.map { VisibleText.escaping($0) }.joined(separator: ", ")
  }

  private struct Verdict: Decodable {
    struct Line: Decodable {
      let n: Int64
      let real_ms: Int64
      let kind: String
    }
    let expect: String
    let verdict: String
    let sentence: String
    let lines: [Line]

    var text: String {
      ([expect + " " + verdict + ": " + sentence]
        + lines.map { "  line \($0.n), \(ControlText.seconds($0.real_ms)): \($0.kind)" }).joined(separator: "\n")
    }
  }

  /// Returns the verdict on an expectation, with the lines that prove it.
  static func verdict(_ answer: ControlClient.Answer) -> String {
    (try? JSONCoder().decode(Verdict.self, from: answer.data))?.text ?? answer.text
  }

  /// Returns the verdict with its lines if it is a failure, else nil.
  static func failedVerdict(_ answer: ControlClient.Answer) -> String? {
    let verdict = try? JSONCoder().decode(Verdict.self, from: answer.data)
    return verdict?.verdict == "failed" ? verdict?.text : nil
  }

  private struct Journal: Decodable {
    let met: Bool?
    let missed: Int64
    let next: JournalPlace
    let last: JournalPlace?
    let nodesMissing: [String]?
    let lines: [Ignored]

    struct Ignored: Decodable {}

    private enum CodingKeys: String, CodingKey {
      case met, missed, next, last, lines
      case nodesMissing = "nodes_missing"
    }
  }

  /// Returns the journal's lines in an answer, and a note about lines that are missing from it.
  static func journal(_ answer: ControlClient.Answer) -> String {
    guard let page = try? JSONCoder().decode(Journal.self, from: answer.data) else { return answer.text }
    var lines = JournalLines.whole(answer.data).map { VisibleText.escaping($0) }
    if page.missed > 0 { lines.insert("\(page.missed) lines before these are kept no longer", at: 0) }
    if let last = page.last, page.next.text != last.text {
      lines.append("more: --after \(VisibleText.escaping(page.next.text))")
    }
    lines += noAnswer(from: page.nodesMissing)
    return lines.isEmpty ? "nothing" : lines.joined(separator: "\n")
  }

  /// Returns the text for a wait that timed out, with the lines so far; nil for any other answer.
  static func unmetWait(_ answer: ControlClient.Answer) -> String? {
    guard let page = try? JSONCoder().decode(Journal.self, from: answer.data), page.met == false else { return nil }
    let found = page.lines.isEmpty ? [] : [journal(answer)]
    return
      ([
        "not in time: \(page.lines.count) so far; --within is how long to wait, and postern ctl journal shows all events"
      ] + found).joined(separator: "\n")
  }

  private static func table(_ page: SessionPage) -> String {
    let hasNodes = page.sessions.contains { $0.node != nil }
    var rows = [["SESSION", "USER", "KIND", "PHASE", "EXPIRES IN", "AGE", "PEER"] + (hasNodes ? ["NODE"] : [])]
    for session in page.sessions {
      rows.append([
        session.id, session.userID.map { VisibleText.escaping($0) } ?? "-", session.userKind ?? "-", session.phase,
        session.expiresInMs.map(seconds) ?? "-", seconds(session.ageMs), session.peer,
      ])
      if hasNodes { rows[rows.count - 1].append(session.node.map { VisibleText.escaping($0) } ?? "-") }
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n")
    if let next = page.next { text += "\nmore: --after \(next)" }
    return ([text] + noAnswer(from: page.nodesMissing)).joined(separator: "\n")
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    "\(Figures.decimal(Double(milliseconds) / 1000, places: 1)) s"
  }
}
