internal import GatewayControl
internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// The journal of a gateway's events, one line each, for the assertions of a test.
///
/// ```swift
/// await gateway.expire(user: "martin")
/// try await gateway.journal.wait(for: .refreshed, user: "martin", within: .seconds(60))
/// #expect(await gateway.journal.counts(user: "martin")[.providerMinted] == 1)
/// ```
///
/// It keeps the last 65,536 lines, and contains no tokens.
public struct PosternJournal: Sendable {
  /// An error for lines that did not come in time.
  public struct NotMet: Error, CustomStringConvertible {
    /// The lines that came, fewer than awaited.
    public let lines: [Line]
    /// The awaited lines, and the lines that came.
    public let description: String
  }

  /// One event of the gateway.
  public struct Line: Sendable, CustomStringConvertible {
    /// The line's number: 1 for the first, then without gaps.
    public let number: Int
    /// The time since the gateway's start, on the sessions' clock.
    public let at: Duration
    /// The kind of the event.
    public let kind: Kind
    /// The user; nil if none is known.
    public let user: String?
    /// The connection, e.g. `conn_0_2`.
    public let connection: String?
    /// The content of a message, with its secrets blanked; nil unless requested.
    public let payload: String?
    /// The line in JSON, as in the control API.
    public let description: String

    init(_ line: JournalLine) {
      number = Int(clamping: line.number)
      at = line.at
      kind = Kind(line.event.kind)
      user = line.user?.rawValue
      connection = line.connection?.description
      payload = line.payload
      description = JournalText.text(line)
    }

    private static let ownMembers: Set<Name> = [
      "n", "at_ms", "real_ms", "time", "kind", "user", "connection", "dialect",
    ]

    /// The line as text for people: `10  0.020 s  refresh_requested  ann conn_0_1 cause=expiry`.
    public var text: String {
      let milliseconds = at.milliseconds
      let time = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst()) s"
      let details = (try? JSONDocument.parse(Array(description.utf8)))?.root.members ?? []
      let words =
        [user, connection].compactMap { $0 }
        + details.compactMap { name, value in
          Self.ownMembers.contains(Name(name)) ? nil : "\(name)=\(value.string ?? value.text)"
        }
      return [
        Self.padded(String(number), left: 6), Self.padded(time, left: 14), " " + Self.padded(kind.name, right: 18),
        words.joined(separator: " "),
      ].joined(separator: " ")
    }

    private static func padded(_ text: String, left: Int = 0, right: Int = 0) -> String {
      let spaces = { String(repeating: " ", count: max(0, $0 - text.utf8.count)) }
      return spaces(left) + text + spaces(right)
    }
  }

  let gateway: Gateway

  /// Returns the lines after number `after`, at most `limit`. They can be restricted to a user and to kinds; with `payloads`
  /// they include the contents of messages.
  public func lines(
    after: Int = 0, user: String? = nil, kinds: [Kind] = [], payloads: Bool = false, limit: Int = 1_000
  ) async -> [Line] {
    var query = Self.query(after, user, kinds, limit: limit)
    query.hasPayloads = payloads
    let page = await gateway.journal(query)
    return page?.lines.map(Line.init) ?? []
  }

  /// Returns the last `count` lines as text for people, e.g. for a failed test.
  public func text(last count: Int = 30) async -> String {
    let last = Int(clamping: await gateway.tables[0].perform { [gateway] _ in gateway.journal?.last } ?? 0)
    let lines = await lines(after: max(0, last - max(0, count)), limit: count)
    return lines.isEmpty ? "nothing happened" : lines.map(\.text).joined(separator: "\n")
  }

  /// Waits for `count` such lines after number `after`, for at most `within` of real time, independent of the sessions'
  /// clock. Returns them. Throws ``NotMet`` if there are fewer.
  @discardableResult
  public func wait(
    for kind: Kind, user: String? = nil, count: Int = 1, after: Int = 0, within: Duration
  ) async throws -> [Line] {
    let outcome = try await gateway.wait(
      for: Self.query(after, user, [kind], limit: count), count: count, within: within)
    let lines = outcome.page.lines.map(Line.init)
    guard outcome.isMet else {
      let whose = user.map { " of \($0)" } ?? ""
      throw NotMet(
        lines: lines,
        description: "\(lines.count) of \(count) \(kind.name)\(whose) in \(within)"
          + lines.map { "\n\($0)" }.joined())
    }
    return lines
  }

  /// Returns the number of the user's lines of each kind.
  public func counts(user: String) async -> [Kind: Int] {
    let counts = await gateway.journalCounts(of: UserID(user)) ?? [:]
    return counts.reduce(into: [:]) { $0[Kind($1.key)] = $1.value }
  }

  private static func query(_ after: Int, _ user: String?, _ kinds: [Kind], limit: Int) -> Journal.Query {
    Journal.Query(
      after: UInt64(max(0, after)), user: user.map(UserID.init), kinds: kinds.map(\.kind), limit: max(0, limit))
  }
}
