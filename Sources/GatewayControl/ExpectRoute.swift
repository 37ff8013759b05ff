internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayRuntime

/// The check by the journal whether a client meets an expectation, `POST /journal/expect`.
struct ExpectRoute {
  let gateway: any Controllable
  /// The life of the process, if it may be one of several.
  let life: NodeBoot?

  /// The maximum number of checks at once. Each copies the records, four megabytes of a full ring.
  private static let judgedAtOnce = 4
  fileprivate static let durationMax = 86_400_000
  /// A hundred years, in milliseconds.
  fileprivate static let lateMax = 3_155_760_000_000
  fileprivate static let attemptsMax = 1_000_000

  var route: HTTPRoute {
    HTTPRoute("POST", "/journal/expect") { request, _ in
      do throws(GatewayError) {
        let order: ExpectOrder = try ControlAnswer.order(request)
        return JournalRoutes.response(try await answer(order))
      } catch {
        return ControlAnswer.error(error)
      }
    }
  }

  private nonisolated(nonsending) func answer(_ order: ExpectOrder) async throws(GatewayError) -> [UInt8] {
    guard let journal = gateway.journal else { throw JournalRoutes.noJournal }
    let parameters = try order.parameters()
    let expectation = try Self.form(order.expect).expectation(parameters)
    let after = try JournalRoutes.number(order.after?.text ?? "0", "after", of: life)
    guard journal.judgements < Self.judgedAtOnce else {
      throw .tooMany.detailed("\(Self.judgedAtOnce) clients are judged just now; ask again, or from a later line")
    }
    journal.judgements += 1
    defer { journal.judgements -= 1 }
    var dialect: UInt8?
    if let name = order.dialect { dialect = try JournalRoutes.dialect(name, of: journal) }
    let story = ClientStory(
      journal, after: after, of: order.user.map(UserID.init), in: dialect, late: try order.lateTimes())
    let verdict = await expectation.verdict(on: story, pausingOn: journal.loop)
    return JSONWriter.object(capacity: 512) { json in
      json.member("expect", expectation.name)
      json.member("verdict", verdict.outcome.rawValue)
      json.member("sentence", verdict.sentence)
      json.member("lost_ms", story.lost.milliseconds)
      json.name("lines")
      json.beginArray()
      for line in story.proof(of: verdict) { JournalText.write(line, to: &json) }
      json.endArray()
    }
  }

  private static func form(_ text: String) throws(GatewayError) -> ExpectationForm {
    // Compared by bytes, like all words from clients.
    guard let form = ExpectationForm.all.first(where: { Name($0.name) == Name(text) }) else {
      throw .invalidParameter.detailed(
        "no expectation is called '\(text.prefix(64))'"
          + Nearest.lead(from: text, to: ExpectationForm.all.map(\.name)))
    }
    return form
  }
}

extension ExpectOrder {
  fileprivate func parameters() throws(GatewayError) -> ExpectationParameters {
    var parameters = ExpectationParameters()
    if let since {
      guard let kind = JournalKind(word: since) else {
        throw .invalidParameter.detailed(
          "since: no kind of line is called '\(since.prefix(64))'"
            + Nearest.lead(from: since, to: JournalKind.allWords))
      }
      parameters.since = kind
    }
    if let attempt {
      guard let known = ClientStory.Attempt.allCases.first(where: { Name($0.rawValue) == Name(attempt) }) else {
        throw .invalidParameter.detailed("attempt must be connection, stale_connection, provider, refresh or command")
      }
      parameters.attempt = known
    }
    if let atMost {
      guard (0...ExpectRoute.attemptsMax).contains(atMost) else {
        throw .invalidParameter.detailed("at_most must be 0 to \(ExpectRoute.attemptsMax)")
      }
      parameters.atMost = atMost
    }
    parameters.atLeast = try duration(atLeastMs, "at_least_ms")
    parameters.quiet = try duration(quietMs, "quiet_ms")
    parameters.within = try duration(withinMs, "within_ms")
    parameters.newToken = newToken
    parameters.perConnection = perConnection
    return parameters
  }

  /// Returns the late times of the order; nil to use the gateway's own measurements.
  fileprivate func lateTimes() throws(GatewayError) -> LateTimes? {
    guard let late else { return nil }
    guard late.count <= LateTimes.spansMax else {
      throw .invalidParameter.detailed("late has \(late.count) spans; at most \(LateTimes.spansMax) are taken")
    }
    var spans: [LateTimes.Span] = []
    for span in late {
      guard 0...ExpectRoute.lateMax ~= span.fromMs, span.fromMs...ExpectRoute.lateMax ~= span.toMs,
        0...(span.toMs - span.fromMs) ~= span.lostMs
      else {
        throw .invalidParameter.detailed(
          "late: each span needs 0 <= from_ms <= to_ms <= \(ExpectRoute.lateMax) and 0 <= lost_ms <= to_ms - from_ms")
      }
      spans.append(
        LateTimes.Span(
          from: .milliseconds(span.fromMs), to: .milliseconds(span.toMs), lost: .milliseconds(span.lostMs)))
    }
    return LateTimes(spans)
  }

  private func duration(_ milliseconds: Int?, _ name: String) throws(GatewayError) -> Duration? {
    guard let milliseconds else { return nil }
    guard (0...ExpectRoute.durationMax).contains(milliseconds) else {
      throw .invalidParameter.detailed("\(name) must be 0 to \(ExpectRoute.durationMax), a day")
    }
    return .milliseconds(milliseconds)
  }
}
