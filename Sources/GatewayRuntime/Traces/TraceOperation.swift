package import GatewayCore

/// An operation under way of which this process is the beginning, e.g. a client's login, with the spans below it.
///
/// Whether it is recorded is clear at its end at the latest: a failure is recorded although its trace is not.
///
/// `@unchecked Sendable`: touched only on its loop.
package final class TraceOperation: @unchecked Sendable {
  let traces: LoopTraces
  private var root: SpanRecord
  private let begun: Instant
  private var verification: SpanRecord?
  /// The spans below it, while it is open whether they are recorded.
  private var held: [SpanRecord] = []
  private var hasTrouble = false
  private(set) var hasEnded = false
  /// Whether a verdict has been given that the session is about to act on.
  var isJudged = false

  private static let heldMax = 32

  init(_ root: SpanRecord, of traces: LoopTraces) {
    self.root = root
    self.traces = traces
    begun = traces.loop.now
  }

  /// The place of what is below it.
  package var context: TraceContext {
    TraceContext(root.trace, below: root.span, isSampled: root.isSampled, state: root.state)
  }

  package var scope: TraceScope { TraceScope(context: context, operation: self) }

  var link: SpanRecord.Link { SpanRecord.Link(root.trace, root.span) }

  /// The host that is asked.
  package var server: String? {
    get { root.server }
    set { root.server = newValue }
  }

  /// Whether an upgrade has begun it.
  var isUpgrade: Bool { root.method != nil }

  /// The time of day by the clock at its beginning, so that no change of the clock moves a span out of its parent.
  var wallTime: WallTime { root.start + (traces.loop.now - begun) }

  /// Creates the span of something below it that begins now.
  func child(_ name: String, _ kind: SpanRecord.Kind) -> SpanRecord {
    SpanRecord(name, kind, in: context, numbered: traces.newSpan(), below: root.span, at: wallTime)
  }

  /// Takes a finished span below it.
  func add(_ record: SpanRecord) {
    if record.error != nil { hasTrouble = true }
    if root.isSampled {
      traces.write(record)
    } else if !hasEnded, held.count < Self.heldMax {
      held.append(record)
    }
  }

  // MARK: The check of a token

  func beginVerification() { verification = child("verify", .own) }

  /// Ends the span of the gateway's own check. The application's backend has another span.
  func endVerification(_ failure: GatewayError?) {
    guard var verification else { return }
    self.verification = nil
    verification.end = wallTime
    if let failure { verification.fail(failure) }
    add(verification)
  }

  /// A verdict has come that the session acts on next.
  func judge(_ verdict: Verdict) {
    endVerification(verdict.failure)
    isJudged = true
  }

  /// There is no check of the gateway's own.
  func dropVerification() { verification = nil }

  // MARK: The end

  /// Ends it once the user and what was answered are known.
  ///
  /// - Parameters:
  ///   - failure: The error that was answered; nil for success.
  ///   - status: The status of the HTTP answer; nil if there is none.
  ///   - user: The user of the operation; kept only if spans name users.
  package func end(_ failure: GatewayError? = nil, status: Int? = nil, user: UserID? = nil) {
    end(failure?.name, failure?.number, status, user)
  }

  /// Ends it.
  ///
  /// - Parameter failure: What failed, as one word; nil for success.
  package func end(failing failure: String?) { end(failure, nil, nil, nil) }

  /// Ends it because the connection has ended.
  func end(_ reason: CloseReason) {
    // A client may leave whenever it wants to.
    end(reason == .peerClosed ? nil : reason.name, nil, nil, nil)
  }

  /// Ends it with the answer to an HTTP request.
  func end(answered status: Int) {
    end(status >= 400 ? String(status) : nil, nil, status, nil)
  }

  private func end(_ error: String?, _ number: Int?, _ status: Int?, _ user: UserID?) {
    guard !hasEnded else { return }
    endVerification(nil)
    hasEnded = true
    root.end = wallTime
    (root.error, root.errorNumber) = (error, number)
    if let status { root.status = status }
    if traces.settings.namesUsers, let user { root.user = user.rawValue }
    guard root.isSampled || (error != nil || hasTrouble) && traces.takesFailure() else {
      held = []
      return
    }
    for record in held { traces.write(record) }
    held = []
    traces.write(root)
  }
}

extension Result {
  /// The failure; nil for a success.
  var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
