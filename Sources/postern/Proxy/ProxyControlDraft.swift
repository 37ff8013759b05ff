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
      "the control port, with a journal and faults for postern ctl, 0 for a free one (default: no control port)",
      \.port,
      .int(0...65535))
    Option("control-host", "ADDRESS", "the control port's address (default 127.0.0.1)", \.host, .asGiven)
    Option(
      "control-secret-file", "FILE",
      "the file with the control port's bearer secret; required if that port is not on loopback", \.secret,
      Reading<String>.secret.sourced)
    Option(
      "control-allowed-host", "HOST",
      "a host name, besides its address, by which clients may reach a control port without a secret", repeats: true
    ) { value, draft in
      guard Authority(value.text.contains(":") ? "[\(value.text)]" : value.text) != nil else {
        throw UsageError(value.source, value: value.text, expected: "a host's name or address, without a port")
      }
      draft.allowedHosts.append(value)
    }
    Option(
      "wire", "FILE|NAME",
      "the wire in which the proxy finds users, logins and refreshes: a file (its path has a / or a .), or a name of postern wire list",
      \.wire, .asGiven)
    Option(
      "dialect", Vendors.all.filter { !$0.readers.isEmpty }.map { $0.scheme }.joined(separator: "|"),
      "the built-in dialect in which the proxy finds users, logins and refreshes, instead of --wire", \.dialect,
      .asGiven)
    Option(
      "tokens", "FILE|URL",
      "your application's token endpoint, if its calls pass through the proxy: its URL, or a file as for postern storm --tokens",
      \.tokens, .asGiven)
    Option(
      "token-route", "ROUTE",
      "your token endpoint if it is on the server of --to: a path, or a method and a path, e.g. 'POST /auth/token'",
      \.tokenRoute, .asGiven)
    Option(
      "token-at", "POINTER", "the place of the token in the token endpoint's answers, a JSON pointer (default /token)",
      \.tokenAt,
      .asGiven)
    Option(
      "journal-payloads", "keep messages in the journal too; their secrets are hidden", \.keepsPayloads)
  }
}
