internal import GatewayCore
internal import GatewayRuntime

/// The journals of all nodes as one, in the order of the times of their lines.
struct MergedJournal: Sendable {
  typealias Answer = nonisolated(nonsending) @Sendable (HTTPRequest) async -> HTTPResponse

  /// A page of lines.
  struct Page: Sendable {
    var lines: [JournalPart.Line]
    /// How many lines are kept no longer.
    var missed: UInt64
    /// The place behind the lines.
    var next: JournalPosition
    /// The place of the newest lines.
    var last: JournalPosition
    /// The names of the nodes whose lines are missing.
    var missing: [String]
  }

  /// The answer to a request with a mistake.
  struct Refusal: Error {
    let response: HTTPResponse
  }

  let gateway: Gateway
  /// Answers a request for the journal of this process.
  let own: Answer

  /// Returns at most `limit` lines behind that place, of all nodes.
  ///
  /// - Parameter query: The other parameters of `GET /journal`.
  nonisolated(nonsending) func page(
    _ query: [HTTPField], after: JournalPosition, limit: Int
  ) async throws(Refusal) -> Page {
    let life = gateway.configuration.life
    let names = gateway.nodeNames
    let after = after.kept(for: names.keys)
    let query = query + [HTTPField("after", after.text), HTTPField("limit", String(limit))]
    let response = await NodeScope.$isHere.withValue(true) {
      await own(HTTPRequest(method: "GET", path: "/journal", query: query))
    }
    guard response.status == 200,
      let ownPart = JournalPart(response.body, of: life, named: names[life] ?? life.description, after: after[life])
    else { throw Refusal(response: response) }
    let others = await gateway.ask(NodeRequest("GET", "/journal", query: query))
    var (parts, missing, last) = ([ownPart], others.missing, after)
    last[life] = ownPart.last
    for answer in others.answers {
      guard answer.response.status == 200,
        let part = JournalPart(answer.response.body, of: answer.life, named: answer.name, after: after[answer.life])
      else {
        missing.append(answer.name)
        continue
      }
      parts.append(part)
      last[answer.life] = part.last
    }
    let (lines, next) = JournalPart.merged(parts, after: after, limit: limit)
    let missed = parts.reduce(0 as UInt64) { before, part in
      let (sum, overflow) = before.addingReportingOverflow(part.missed)
      return overflow ? .max : sum
    }
    return Page(lines: lines, missed: missed, next: next, last: last, missing: missing.sorted { Name($0) < Name($1) })
  }
}
