internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime

/// The resources of the journal where a gateway has several nodes: each answer has the lines of all.
struct MergedJournalRoutes: Sendable {
  let gateway: Gateway
  let readers = MergedReaders()

  /// The time between two requests to all nodes while a client waits for lines.
  private static let interval = Duration.milliseconds(100)

  /// The paths of the routes that are answered for all nodes.
  static let patterns: Set<String> = [
    "/journal", "/journal/counts", "/journal/export", "/journal/stream", "/journal/await",
  ]

  /// Answers a request to the route with that pattern for all nodes.
  ///
  /// - Parameter own: Answers `GET` requests for the journal of this process, by their paths.
  nonisolated(nonsending) func answer(
    _ request: HTTPRequest, to pattern: String, own: @escaping MergedJournal.Answer
  ) async -> HTTPResponse {
    let journal = MergedJournal(gateway: gateway, own: own)
    do throws(GatewayError) {
      switch pattern {
      case "/journal/counts": return try await counts(request, own)
      case "/journal/await": return try await wait(try ControlAnswer.order(request), journal)
      case "/journal/export": return try await export(request, journal)
      case "/journal/stream": return try await stream(request, journal)
      default: return try await page(request, journal)
      }
    } catch {
      return ControlAnswer.error(error)
    }
  }

  // MARK: Pages

  private nonisolated(nonsending) func page(
    _ request: HTTPRequest, _ journal: MergedJournal
  ) async throws(GatewayError) -> HTTPResponse {
    let limit = try JournalRoutes.limit(request.parameter("limit"))
    let after = try Self.position(request.parameter("after"), "after")
    do throws(MergedJournal.Refusal) {
      return Self.response(try await journal.page(Self.filter(of: request), after: after, limit: limit), isMet: nil)
    } catch {
      return error.response
    }
  }

  /// Returns the parameters that choose lines.
  private static func filter(of request: HTTPRequest) -> [HTTPField] {
    request.query.filter { !["after", "limit"].contains($0.name) }
  }

  private static func position(_ text: String?, _ name: String) throws(GatewayError) -> JournalPosition {
    guard let position = JournalPosition(text ?? "0") else {
      throw .invalidParameter.detailed(
        "\(name) must be 0, or the next of an answer of these processes; the number of a line goes with node")
    }
    return position
  }

  private static func response(_ page: MergedJournal.Page, isMet: Bool?) -> HTTPResponse {
    JournalRoutes.response(
      JSONWriter.object(capacity: 256 + page.lines.reduce(0) { $0 + $1.text.count + 1 }) { json in
        if let isMet { json.member("met", isMet) }
        json.name("lines")
        json.beginArray()
        for line in page.lines { json.raw(String(decoding: line.text, as: UTF8.self)) }
        json.endArray()
        json.member("missed", Int64(clamping: page.missed))
        json.member("next", page.next.text)
        if isMet == nil { json.member("last", page.last.text) }
        if !page.missing.isEmpty { json.member("nodes_missing", strings: page.missing) }
      })
  }

  // MARK: Counts

  private nonisolated(nonsending) func counts(
    _ request: HTTPRequest, _ own: MergedJournal.Answer
  ) async throws(GatewayError) -> HTTPResponse {
    let response = await NodeScope.$isHere.withValue(true) { await own(request) }
    guard response.status == 200 else { return response }
    let others = await gateway.ask(NodeRequest("GET", request.path, query: request.query))
    var (sums, missing) = ([JournalKind: Int64](), others.missing)
    func add(_ body: [UInt8]) -> Bool {
      guard let counts = try? JSONDocument.parse(body).root["counts"], counts.isObject else { return false }
      for kind in JournalKind.allCases {
        let (sum, overflow) = sums[kind, default: 0].addingReportingOverflow(
          counts[member: kind.rawValue]?.integer ?? 0)
        sums[kind] = overflow ? .max : sum
      }
      return true
    }
    _ = add(response.body)
    for answer in others.answers where answer.response.status != 200 || !add(answer.response.body) {
      missing.append(answer.name)
    }
    return JournalRoutes.response(
      JSONWriter.object { json in
        json.member("user", request.parameter("user") ?? "")
        json.member("counts") { json in
          for kind in JournalKind.allCases {
            json.name(kind.rawValue)
            json.integer(sums[kind, default: 0])
          }
        }
        if !missing.isEmpty { json.member("nodes_missing", strings: missing.sorted { Name($0) < Name($1) }) }
      })
  }

  // MARK: Waiting

  private nonisolated(nonsending) func wait(
    _ order: WaitOrder, _ journal: MergedJournal
  ) async throws(GatewayError) -> HTTPResponse {
    try JournalRoutes.check(order)
    let place = try place()
    defer { withExtendedLifetime(place) {} }
    var query = [HTTPField("kind", order.kind)]
    for (name, value) in [("user", order.user), ("connection", order.connection), ("dialect", order.dialect)] {
      if let value { query.append(HTTPField(name, value)) }
    }
    let loop = gateway.controlLoop
    let (count, deadline) = (order.count ?? 1, loop.transport.now + .milliseconds(order.withinMs))
    var after = try Self.position(order.after?.text, "after")
    var sum: MergedJournal.Page?
    while true {
      do throws(MergedJournal.Refusal) {
        var page = try await journal.page(query, after: after, limit: count - (sum?.lines.count ?? 0))
        page.lines = (sum?.lines ?? []) + page.lines
        let (missed, overflow) = page.missed.addingReportingOverflow(sum?.missed ?? 0)
        page.missed = overflow ? .max : missed
        after = page.next
        sum = page
      } catch {
        return error.response
      }
      guard let page = sum else { continue }
      let isMet = page.lines.count >= count
      if isMet || loop.transport.now >= deadline || loop.hasEnded || gateway.journal?.hasEnded != false {
        return Self.response(page, isMet: isMet)
      }
      await loop.sleep(until: loop.now + Self.interval, as: "lines in the journals of other nodes")
    }
  }

  private func place() throws(GatewayError) -> MergedReaders.Place {
    guard let place = readers.enter() else {
      throw .tooMany.detailed("\(MergedReaders.countMax) read the journals of all processes already")
    }
    return place
  }

  // MARK: Continuous reading

  private nonisolated(nonsending) func export(
    _ request: HTTPRequest, _ journal: MergedJournal
  ) async throws(GatewayError) -> HTTPResponse {
    let place = try place()
    let after = try Self.position(request.parameter("after"), "after")
    let query = Self.filter(of: request)
    do throws(MergedJournal.Refusal) {
      let first = try await journal.page(query, after: after, limit: MergedReader.piece)
      guard first.missing.isEmpty else {
        throw Refusal(
          response: ControlAnswer.error(
            .overloaded.detailed(
              "no answer from \(first.missing.joined(separator: ", ")); name a process with node to export its lines")))
      }
      let reader = MergedReader(journal, query, first, on: gateway.controlLoop, place)
      return HTTPResponse(stream: reader.export, headers: [HTTPField("content-type", "text/plain; charset=utf-8")])
    } catch {
      return error.response
    }
  }

  private typealias Refusal = MergedJournal.Refusal

  private nonisolated(nonsending) func stream(
    _ request: HTTPRequest, _ journal: MergedJournal
  ) async throws(GatewayError) -> HTTPResponse {
    let place = try place()
    let last = request.header("last-event-id")
    let after = try Self.position(last ?? request.parameter("after"), last == nil ? "after" : "Last-Event-ID")
    let query = Self.filter(of: request)
    do throws(MergedJournal.Refusal) {
      let first = try await journal.page(query, after: after, limit: MergedReader.piece)
      return HTTPResponse(stream: MergedReader(journal, query, first, on: gateway.controlLoop, place).feed)
    } catch {
      return error.response
    }
  }
}
