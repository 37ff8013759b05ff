import GatewayCore
import GatewayKit

/// The values of the proxy's flags about its control port, before they are checked together.
struct ProxyControlDraft: Sendable {
  var port: Int?
  var host: Arguments.Value?
  var secret: Sourced<String>?
  var allowedHosts: [Arguments.Value] = []
  var wire: Arguments.Value?
  var dialect: Arguments.Value?
  var tokens: Arguments.Value?
  var tokenRoute: Arguments.Value?
  var tokenAt: Arguments.Value?
  var keepsPayloads: Sourced<Bool>?

  /// The source of the first value that goes with a control port; nil if there is none.
  var source: String? {
    host?.source ?? secret?.source ?? allowedHosts.last?.source ?? keepsPayloads?.source ?? wire?.source ?? dialect?
      .source ?? tokens?.source
      ?? tokenRoute?.source
  }

  @OptionList<ProxyControlDraft>
  static var options: [Option<ProxyControlDraft>] {
    Option(
      "control-port", "N",
      "a port for postern ctl, 0 for a free one, with a journal and faults (default: none of these)", \.port,
      .int(0...65535))
    Option("control-host", "ADDRESS", "the control port's address (default 127.0.0.1)", \.host, .asGiven)
    Option(
      "control-secret-file", "FILE", "the control port's bearer secret; required off loopback", \.secret,
      Reading<String>.secret.sourced)
    Option(
      "control-allowed-host", "HOST",
      "a name that the control port may be asked for by, beside its address, where it has no secret", repeats: true
    ) { value, draft in
      guard Authority(value.text.contains(":") ? "[\(value.text)]" : value.text) != nil else {
        throw UsageError(value.source, value: value.text, expected: "a host's name or address, without a port")
      }
      draft.allowedHosts.append(value)
    }
    Option(
      "wire", "FILE|NAME",
      "what messages mean: a file (its path has a / or a .), or a name of postern wire list; for users, logins and refreshes",
      \.wire, .asGiven)
    Option(
      "dialect", Vendors.all.filter { !$0.readers.isEmpty }.map { $0.scheme }.joined(separator: "|"),
      "the same, of a dialect that Postern has built in", \.dialect, .asGiven)
    Option(
      "tokens", "FILE|URL",
      "your application's token endpoint, whose calls pass through the proxy too: its URL, or a file of postern storm --tokens",
      \.tokens, .asGiven)
    Option(
      "token-route", "ROUTE", "the same at the server of --to: a path, or a method and a path as 'POST /auth/token'",
      \.tokenRoute, .asGiven)
    Option(
      "token-at", "POINTER", "the place of the token in its answers, a JSON pointer (default /token)", \.tokenAt,
      .asGiven)
    Option(
      "journal-payloads", "keep in the journal what messages say, whose secrets nobody is shown", \.keepsPayloads)
  }
}
