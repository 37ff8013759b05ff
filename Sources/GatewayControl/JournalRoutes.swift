internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayRuntime

/// The resources for reading the journal of a gateway, and for waiting for future lines.
struct JournalRoutes {
  let gateway: any Controllable
  /// The life of the process, if it may be one of several.
  var life: NodeBoot?

  private static let linesMax = 1_000
  private static let waitMax = 60_000
  /// The query parameters, by the patterns of the routes.
  static let parameters = [
    "/journal": ["after", "user", "kind", "connection", "dialect", "payloads", "limit"], "/journal/counts": ["user"],
    "/journal/export": ["after", "user", "kind", "connection", "dialect", "payloads"],
    "/journal/stream": ["after", "user", "kind", "connection", "dialect", "payloads"],
  ]

  static let noJournal = GatewayError.notFound.detailed("the gateway keeps no journal; start it with --journal")

  var routes: [HTTPRoute] {
    [
      ExpectRoute(gateway: gateway, life: life).route,
      HTTPRoute("GET", "/journal") { request, _ in
        await page(request)
      },
      HTTPRoute("GET", "/journal/counts") { request, _ in
        answer { journal throws(GatewayError) in
          guard let user = request.parameter("user") else { throw .invalidParameter.detailed("user is missing") }
          return Self.body(journal.counts(of: UserID(user)), of: user)
        }
      },
      HTTPRoute("POST", "/journal/await") { request, _ in await wait(request) },
      HTTPRoute("GET", "/journal/export") { request, _ in export(request) },
      HTTPRoute("GET", "/journal/stream") { request, _ in stream(request) },
      RecordingRoute(gateway: gateway).route,
    ]
  }

  private func answer(_ body: (Journal) throws(GatewayError) -> [UInt8]) -> HTTPResponse {
    do throws(GatewayError) {
      return Self.response(try body(try journal()))
    } catch {
      return ControlAnswer.error(error)
    }
  }

  private func journal() throws(GatewayError) -> Journal {
    guard let journal = gateway.journal else { throw Self.noJournal }
    return journal
  }

  /// The number of lines that are written before the network is served.
  private static let piece = 64

  /// Returns a page of lines. It is written in pieces, so that reading a long journal delays no login.
  private func page(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let journal = try journal()
      var query = try self.query(request, journal)
      var left = query.limit
      var json = JSONWriter(capacity: 64 + min(left, Self.piece) * 256)
      json.beginObject()
      json.name("lines")
      json.beginArray()
      var missed: UInt64 = 0
      while true {
        query.limit = min(left, Self.piece)
        let page = journal.page(query)
        for line in page.lines { JournalText.write(line, to: &json) }
        missed += page.missed
        left -= page.lines.count
        let isWhole = page.lines.count < query.limit
        query.after = page.next
        if isWhole || left == 0 { break }
        await gateway.controlLoop.pause()
      }
      json.endArray()
      json.member("missed", Int64(clamping: missed))
      json.member("next", Int64(clamping: query.after))
      json.member("last", Int64(clamping: journal.last))
      json.endObject()
      return Self.response(json.bytes)
    } catch {
      return ControlAnswer.error(error)
    }
  }

  // MARK: Queries

  private func query(_ request: HTTPRequest, _ journal: Journal) throws(GatewayError) -> Journal.Query {
    var query = Journal.Query(user: request.parameter("user").map(UserID.init), limit: 100)
    if let after = request.parameter("after") { query.after = try Self.number(after, "after", of: life) }
    if let kinds = request.parameter("kind") {
      for kind in kinds.split(separator: ",", omittingEmptySubsequences: false) {
        query.kinds.append(try Self.kind(String(kind)))
      }
    }
    if let text = request.parameter("connection") { query.connection = try Self.connection(text) }
    if let text = request.parameter("dialect") { query.dialect = try Self.dialect(text, of: journal) }
    query.hasPayloads = try Self.hasPayloads(request, journal)
    query.limit = try Self.limit(request.parameter("limit"))
    return query
  }

  /// Returns the number of lines of a page.
  static func limit(_ text: String?) throws(GatewayError) -> Int {
    guard let text else { return 100 }
    guard let limit = Int(text), (1...linesMax).contains(limit) else {
      throw .invalidParameter.detailed("limit must be 1 to \(linesMax)")
    }
    return limit
  }

  private static func hasPayloads(_ request: HTTPRequest, _ journal: Journal) throws(GatewayError) -> Bool {
    switch request.parameter("payloads").map({ Name($0) }) {
    case nil, "false": return false
    case "true":
      guard journal.keepsPayloads else {
        throw .invalidParameter.detailed("the gateway keeps no payloads; start it with --journal-payloads")
      }
      return true
    default: throw .invalidParameter.detailed("payloads must be true or false")
    }
  }

  /// Returns the number of the line that a text names, in the journal of that life.
  static func number(_ text: String, _ name: String, of life: NodeBoot?) throws(GatewayError) -> UInt64 {
    guard let number = JournalPosition.number(text, of: life) else {
      throw .invalidParameter.detailed("\(name) must be the number of a line, or 0")
    }
    return number
  }

  private static func kind(_ text: String) throws(GatewayError) -> JournalKind {
    guard let kind = JournalKind(word: text) else {
      let near = Suggestion.near(text, among: JournalKind.allWords).map { "'\($0)'" }
      guard near.isEmpty else {
        throw .invalidParameter.detailed("kind: '\(text)' is unknown" + Suggestion.question(near))
      }
      throw .invalidParameter.detailed(
        "'\(text)' is no kind of event: kind must be some of \(JournalKind.words), with commas between them")
    }
    return kind
  }

  private static func connection(_ text: String) throws(GatewayError) -> ConnectionID {
    guard let id = ConnectionID(text) else {
      throw .invalidParameter.detailed("connection must be the id of one, conn_0_2 for instance")
    }
    return id
  }

  static func dialect(_ text: String, of journal: Journal) throws(GatewayError) -> UInt8 {
    guard let number = journal.dialects.firstIndex(where: { Name($0) == Name(text) }) else {
      throw .invalidParameter.detailed(
        "no dialect is called '\(text.prefix(64))'" + Nearest.lead(from: text, to: journal.dialects))
    }
    return UInt8(clamping: number)
  }

  // MARK: Waiting

  /// Returns the query of an order to wait. Throws the error in it.
  private func query(_ order: WaitOrder, _ journal: Journal) throws(GatewayError) -> Journal.Query {
    try Self.check(order)
    let after = try Self.number(order.after?.text ?? "0", "after", of: life)
    var query = Journal.Query(after: after, user: order.user.map(UserID.init), kinds: [try Self.kind(order.kind)])
    if let text = order.connection { query.connection = try Self.connection(text) }
    if let text = order.dialect { query.dialect = try Self.dialect(text, of: journal) }
    return query
  }

  /// Throws for numbers that an order to wait may not have.
  static func check(_ order: WaitOrder) throws(GatewayError) {
    guard (0...waitMax).contains(order.withinMs) else {
      throw .invalidParameter.detailed("within_ms must be 0 to \(waitMax)")
    }
    guard (1...linesMax).contains(order.count ?? 1) else {
      throw .invalidParameter.detailed("count must be 1 to \(linesMax)")
    }
    _ = try kind(order.kind)
  }

  private func wait(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(GatewayError) {
      let journal = try journal()
      let order: WaitOrder = try ControlAnswer.order(request)
      let query = try self.query(order, journal)
      let outcome = try await gateway.wait(
        for: query, count: order.count ?? 1, within: .milliseconds(order.withinMs))
      return Self.response(Self.body(outcome.page, isMet: outcome.isMet))
    } catch {
      return ControlAnswer.error(error)
    }
  }

  // MARK: Continuous reading

  private func export(_ request: HTTPRequest) -> HTTPResponse {
    do throws(GatewayError) {
      return HTTPResponse(
        stream: try reader(request).export, headers: [HTTPField("content-type", "text/plain; charset=utf-8")])
    } catch {
      return ControlAnswer.error(error)
    }
  }

  /// Returns a feed. A reader that reconnects sends its position in `Last-Event-ID`, which overrides `after`.
  private func stream(_ request: HTTPRequest) -> HTTPResponse {
    do throws(GatewayError) {
      guard try journal().hasRoom else { throw Journal.full }
      return HTTPResponse(stream: try reader(request, from: request.header("last-event-id")).feed)
    } catch {
      return ControlAnswer.error(error)
    }
  }

  private func reader(_ request: HTTPRequest, from last: String? = nil) throws(GatewayError) -> JournalReader {
    let journal = try journal()
    var query = try self.query(request, journal)
    if let last { query.after = try Self.number(last, "Last-Event-ID", of: life) }
    return JournalReader(journal, query, on: gateway.controlLoop)
  }

  // MARK: Answers

  static func response(_ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: body)
  }

  private static func body(_ page: JournalPage, isMet: Bool) -> [UInt8] {
    JSONWriter.object(capacity: 64 + page.lines.count * 256) { json in
      json.name("met")
      json.bool(isMet)
      json.name("lines")
      json.beginArray()
      for line in page.lines { JournalText.write(line, to: &json) }
      json.endArray()
      json.member("missed", Int64(clamping: page.missed))
      json.member("next", Int64(clamping: page.next))
    }
  }

  private static func body(_ counts: [JournalKind: Int], of user: String) -> [UInt8] {
    JSONWriter.object { json in
      json.member("user", user)
      json.name("counts")
      json.beginObject()
      for kind in JournalKind.allCases {
        json.name(kind.rawValue)
        json.integer(Int64(counts[kind, default: 0]))
      }
      json.endObject()
    }
  }
}

extension JournalKind {
  /// The words of all kinds, separated by commas.
  static let words = allWords.joined(separator: ", ")
  static let allWords = allCases.map(\.rawValue)

  /// Returns the kind of that word; nil if there is none. Words from clients are compared by bytes.
  init?(word: String) {
    guard let kind = Self.allCases.first(where: { Name($0.rawValue) == Name(word) }) else { return nil }
    self = kind
  }
}
