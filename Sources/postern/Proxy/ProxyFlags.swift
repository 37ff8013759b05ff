import GatewayKit

/// The flags of `postern proxy`.
enum ProxyFlags {
  static let sections = [
    FlagSection("addresses", addresses),
    FlagSection("the target", target),
    FlagSection("limits", limits),
    FlagSection("the control port", control),
  ]

  /// The flags that go with a control port.
  static let controlOnly = ["control-host", "control-secret-file", "control-allowed-host", "journal-payloads", "wire"]

  private static let control = [
    Flag(
      "control-port", "N",
      "a port for postern ctl, 0 for a free one, with a journal and faults (default: none of these)"),
    Flag("control-host", "ADDRESS", "the control port's address (default 127.0.0.1)"),
    Flag("control-secret-file", "FILE", "the control port's bearer secret; required off loopback"),
    Flag(
      "control-allowed-host", "HOST",
      "a name that the control port may be asked for by, beside its address, where it has no secret", repeats: true),
    Flag(
      "wire", "FILE|NAME",
      "what messages mean: a file (its path has a / or a .), or a name of postern wire list; for users, logins and refreshes"
    ),
    Flag("journal-payloads", nil, "keep in the journal what messages say, whose secrets nobody is shown"),
  ]

  private static let addresses = [
    Flag("to", "URL", "the real gateway: ws://, wss://, http:// or https://, without a path"),
    Flag(
      "i-may-proxy", "HOST", "a host other than this machine whose operator knows of your test, exactly as in --to",
      repeats: true),
    Flag("host", "ADDRESS", "the address to listen on (default 127.0.0.1)"),
    Flag("port", "N", "the port to listen on, 0 for a free one (default 8080)"),
    Flag(
      "allow-from", "NETWORK", "a network that clients may come from, as 10.0.0.0/8; needed if --host is not loopback",
      repeats: true),
    Flag(
      "allowed-host", "HOST", "a name that clients use for the proxy, beside localhost and addresses", repeats: true),
    Flag("tls-certificate", "FILE", "the certificate chain for clients, PEM (default: clients speak plain text)"),
    Flag("tls-key", "FILE", "the certificate's private key, PEM"),
  ]

  private static let target = [
    Flag(
      "set-header", "NAME=VALUE", "a header field that replaces the client's, e.g. Origin=https://app.example",
      repeats: true),
    Flag("upstream-ca", "FILE", "the authority that signed the target's certificate, PEM (default: the system's)"),
    Flag("upstream-certificate", "FILE", "the certificate that the target wants of its clients, PEM"),
    Flag("upstream-key", "FILE", "that certificate's private key, PEM"),
    Flag("upstream-untrusted", nil, "accept any certificate of a target on this machine"),
  ]

  private static let limits = [
    Flag("connections-max", "N", "the most WebSockets at once (default 1000; 50 to other machines)"),
    Flag("dials-per-second", "N", "the most upgrades a second (default none; 10 to other machines)"),
    Flag("requests-per-second", "N", "the most other requests a second (default none; 20 to other machines)"),
    Flag("bytes-per-second", "N", "the most bytes a second to the target (default none; 1048576 to other machines)"),
    Flag(
      "message-max", "BYTES",
      "the largest message, 1024 to 67108864; above it both sides are closed with 1009 (default 1048576)"),
    Flag("i-may-storm", "HOST", "a host of --to that storms may reach through this proxy", repeats: true),
  ]
}
