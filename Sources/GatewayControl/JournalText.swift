internal import GatewayCore
internal import GatewayJSON
package import GatewayRuntime

/// A line of the journal in JSON: `{"n":412,"at_ms":3600000,"real_ms":812,"kind":"refreshed",…}`.
package enum JournalText {
  /// Returns the line without a line feed.
  package static func text(_ line: JournalLine) -> String {
    var json = JSONWriter()
    write(line, to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Writes the line, and at its end what `addition` writes.
  static func write(
    _ line: JournalLine, to json: inout JSONWriter, adding addition: (inout JSONWriter) -> Void = { _ in }
  ) {
    json.beginObject()
    json.member("n", Int64(clamping: line.number))
    json.member("at_ms", line.at.milliseconds)
    json.member("real_ms", line.real.milliseconds)
    json.member("time", line.wallTime.rfc3339(fractionDigits: 3))
    json.member("kind", line.event.kind.rawValue)
    if let user = line.user { json.member("user", user.rawValue) }
    if let connection = line.connection { json.member("connection", connection.description) }
    if let dialect = line.dialect { json.member("dialect", dialect) }
    writeDetails(of: line, to: &json)
    if let payload = line.payload { json.member("payload", payload) }
    addition(&json)
    json.endObject()
  }

  private static func writeDetails(of line: JournalLine, to json: inout JSONWriter) {
    switch line.event {
    case .upgradeRefused(let error, let status, let isBlind):
      json.member("status", Int64(status))
      if isBlind {
        json.name("blind")
        json.bool(true)
      }
      if let error { write(error, to: &json) }
    case .loggedIn(let grant, let kind):
      json.member("user_kind", kind.rawValue)
      write(grant, line.expiresIn, to: &json)
    case .refreshed(let grant, let after):
      write(grant, line.expiresIn, to: &json)
      if let after = after.milliseconds { json.member("after_ms", Int64(after)) }
    case .loginRefused(let error), .refreshRefused(let error), .malformed(let error), .providerFailed(let error),
      .providerRefused(let error):
      write(error, to: &json)
    case .refreshRequested(let cause): json.member("cause", cause.rawValue)
    case .ordered(let order): json.member("order", order.rawValue)
    case .cutOff(let close): write(close, to: &json)
    case .closed(let close, let end):
      write(close, to: &json)
      json.member("by", end.rawValue)
    case .messageIn(let message, let error, let bytes), .messageOut(let message, let error, let bytes):
      json.member("message", message.rawValue)
      json.member("bytes", Int64(bytes))
      if let error { write(error, to: &json) }
    case .httpAnswered(_, let status):
      if let route = line.route { json.member("route", route) }
      json.member("status", Int64(status))
    case .upstreamFailed(_, let status):
      if let failure = line.failure { json.member("failure", failure) }
      json.member("status", Int64(status))
    case .handedOver(_, _, let number):
      if let target = line.target { json.member("to", target) }
      if let failure = line.failure { json.member("failure", failure) }
      let then = ReturnVerdict.allCases.first { $0.number == Int(number) }
      if let then { json.member("then", then.rawValue) }
    case .signalTaken(_, let isPlayed), .signalRefused(_, _, let isPlayed):
      if let signal = line.signal { json.member("signal", signal) }
      if let failure = line.failure { json.member("failure", failure) }
      if isPlayed { json.member("played", true) }
    case .outboundAsked(let trace, _):
      if let endpoint = line.endpoint { json.member("endpoint", endpoint) }
      if let trace = trace.id { json.member("trace_id", trace.description) }
    case .outboundAnswered(let trace, let after, _, _, _):
      if let endpoint = line.endpoint { json.member("endpoint", endpoint) }
      if let result = line.result { json.member("result", result) }
      if let failure = line.failure { json.member("failure", failure) }
      if let after = after.milliseconds { json.member("after_ms", Int64(after)) }
      if let trace = trace.id { json.member("trace_id", trace.description) }
    case .webhookSent(let after, _, let status, _):
      if let endpoint = line.endpoint { json.member("endpoint", endpoint) }
      if status != 0 { json.member("status", Int64(status)) }
      if let failure = line.failure { json.member("failure", failure) }
      if let after = after.milliseconds { json.member("after_ms", Int64(after)) }
    case .faulted(_, let number, let isFull):
      if let fault = line.fault { json.member("fault", fault) }
      json.member("number", Int64(number))
      if isFull {
        json.name("late_full")
        json.bool(true)
      }
    case .connectionOpened(let upstream):
      if let upstream = upstream.milliseconds { json.member("upstream_ms", Int64(upstream)) }
    case .loginAsked, .loggedOut, .tokenExpired, .revoked, .providerAsked, .providerMinted, .graceGiven: break
    }
  }

  private static func write(_ error: JournalError, to json: inout JSONWriter) {
    json.member("error", Int64(error.number))
    if let name = error.name { json.member("error_name", name) }
  }

  private static func write(_ grant: JournalGrant, _ expiresIn: Duration?, to json: inout JSONWriter) {
    if let fingerprint = grant.fingerprint { json.member("token_fingerprint", fingerprint.description) }
    if let expiresIn { json.member("expires_in_ms", expiresIn.milliseconds) }
  }

  private static func write(_ close: JournalClose, to json: inout JSONWriter) {
    json.member("code", Int64(close.code))
    json.member("reason", close.reason)
    if let then = close.then { json.member("then", then.rawValue) }
  }
}
