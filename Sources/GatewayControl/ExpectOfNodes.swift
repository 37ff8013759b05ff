internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// The check of an expectation where a gateway has several nodes, by the journal of the node that alone has lines of the
/// client.
///
/// A story in the journals of two nodes is not put together, and one that may be incomplete is left undecided.
struct ExpectOfNodes: Sendable {
  let gateway: Gateway

  /// The lines of one node's journal.
  private struct Found {
    var hasUser: Bool
    /// Whether it has attempts to connect that may be the client's.
    var hasUnnamed: Bool
  }

  private static let linesMax = 1_000

  /// Answers `POST /journal/expect`.
  ///
  /// - Parameters:
  ///   - own: Answers by the journal of this process.
  ///   - lines: Answers `GET /journal` for the journal of this process.
  nonisolated(nonsending) func answer(
    _ request: HTTPRequest, own: NodeRoutes.Own, lines: MergedJournal.Answer
  ) async -> HTTPResponse {
    let names = gateway.nodeNames
    guard names.count > 1 else { return await own(request) }
    let order: ExpectOrder
    do throws(GatewayError) {
      order = try ControlAnswer.order(request)
      guard order.user != nil else {
        throw .invalidParameter.detailed("user is missing: with several processes, say whose client it is")
      }
    } catch {
      return ControlAnswer.error(error)
    }
    let (found, missing) = await find(order, lines)
    let holders = found.filter(\.value.hasUser).keys.sorted { $0.node < $1.node }
    let listed = missing.joined(separator: ", ")
    if !missing.isEmpty {
      return Self.undecided(order, "no answer from \(listed), which may have lines of it", missing)
    }
    if holders.count > 1 {
      let listed = holders.map { names[$0] ?? $0.description }.joined(separator: " and ")
      return Self.undecided(order, "its lines are in the journals of \(listed), which are judged one by one: say node")
    }
    let judge = holders.first ?? gateway.configuration.life
    let response = await verdict(request, by: judge, own)
    guard response.status == 200, let other = found.first(where: { $0.key != judge && $0.value.hasUnnamed })?.key,
      let verdict = try? JSONDocument.parse(response.body).root["verdict"]?.string,
      [JournalVerdict.Outcome.passed, .failed].contains(where: { Name($0.rawValue) == Name(verdict) })
    else { return response }
    let name = names[other] ?? other.description
    return Self.undecided(order, "an attempt to connect to \(name) may be its own: nobody logged in")
  }

  private nonisolated(nonsending) func verdict(
    _ request: HTTPRequest, by judge: NodeBoot, _ own: NodeRoutes.Own
  ) async -> HTTPResponse {
    if judge == gateway.configuration.life { return await own(request) }
    let answer = await gateway.ask(
      NodeRequest(to: judge, "POST", request.path, contentType: "application/json", body: request.body)
    ).answers.first
    return answer.map { HTTPResponse(status: $0.response.status, headers: $0.response.headers, body: $0.response.body) }
      ?? ControlAnswer.error(.overloaded.detailed("the process that has the client's lines did not answer within 2 s"))
  }

  /// Asks every node what its journal has of the client.
  private nonisolated(nonsending) func find(
    _ order: ExpectOrder, _ lines: MergedJournal.Answer
  ) async -> ([NodeBoot: Found], missing: [String]) {
    let after = HTTPField("after", order.after?.text ?? "0")
    let named = [HTTPField("user", order.user ?? ""), HTTPField("limit", "1"), after]
    let kinds: [JournalKind] = [.connectionOpened, .upgradeRefused, .loggedIn]
    let unnamed = [
      HTTPField("kind", kinds.map(\.rawValue).joined(separator: ",")), HTTPField("limit", String(Self.linesMax)), after,
    ]
    var (found, missing) = ([NodeBoot: Found](), Set<Name>())
    for (query, isNamed) in [(named, true), (unnamed, false)] {
      let own = await NodeScope.$isHere.withValue(true) {
        await lines(HTTPRequest(method: "GET", path: "/journal", query: query))
      }
      let others = await gateway.ask(NodeRequest("GET", "/journal", query: query))
      missing.formUnion(others.missing.map { Name($0) })
      let life = gateway.configuration.life
      let all =
        [(life, gateway.nodeNames[life] ?? "", own.status, own.body)]
        + others.answers.map { ($0.life, $0.name, $0.response.status, $0.response.body) }
      for (life, name, status, body) in all {
        guard status == 200, let root = try? JSONDocument.parse(body, sizeMax: NodeResponse.bodyBytesMax).root,
          let lines = root["lines"]?.elements
        else {
          missing.insert(Name(name))
          continue
        }
        var entry = found[life] ?? Found(hasUser: false, hasUnnamed: false)
        if isNamed { entry.hasUser = !lines.isEmpty } else { entry.hasUnnamed = Self.hasUnnamed(lines, root) }
        found[life] = entry
      }
    }
    return (found, missing.sorted().map(\.text))
  }

  /// Returns whether an attempt to connect was refused, or its connection never logged in.
  private static func hasUnnamed(_ lines: [JSONView], _ page: JSONView) -> Bool {
    var open: Set<Name> = []
    for line in lines {
      let connection = line["connection"]?.string.map { Name($0) }
      switch line["kind"]?.string.flatMap({ JournalKind(word: $0) }) {
      case .connectionOpened: if let connection { open.insert(connection) }
      case .loggedIn: if let connection { open.remove(connection) }
      default: if line["user"] == nil { return true }
      }
    }
    return !open.isEmpty || page["next"]?.integer != page["last"]?.integer
  }

  private static func undecided(_ order: ExpectOrder, _ sentence: String, _ missing: [String] = []) -> HTTPResponse {
    JournalRoutes.response(
      JSONWriter.object { json in
        json.member("expect", order.expect)
        json.member("verdict", JournalVerdict.Outcome.undecided.rawValue)
        json.member("sentence", sentence)
        json.member("lost_ms", 0 as Int64)
        json.name("lines")
        json.beginArray()
        json.endArray()
        if !missing.isEmpty { json.member("nodes_missing", strings: missing) }
      })
  }
}
