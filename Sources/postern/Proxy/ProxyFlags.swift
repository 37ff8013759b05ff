import GatewayCore
import GatewayKit

/// The flags of `postern proxy`.
enum ProxyFlags {
  static let options = addresses + target + limits + control + recording + routes

  static let sections = [
    FlagSection("addresses", addresses),
    FlagSection("the target", target),
    FlagSection("limits", limits),
    FlagSection("the control port", control),
    FlagSection("recording", recording),
    FlagSection("routes", routes),
  ]

  @OptionList<ProxyDraft>
  private static var addresses: [Option<ProxyDraft>] {
    Option(
      "to", "URL", "the address of the real gateway: ws://, wss://, http:// or https://, without a path", \.to, .asGiven
    )
    Option(
      "also-to", "URL",
      "another address of the gateway, to which it may send clients by a message that --wire calls a handover",
      each: \.others)
    Option(
      "i-may-proxy", "HOST",
      "a host other than this machine whose operator knows of your test, spelled as in --to or in an order for a route",
      each: \.proxied)
    Option("host", "ADDRESS", "the address to listen on (default 127.0.0.1)", \.host, .text)
    Option("port", "N", "the port to listen on, 0 for a free one (default 8080)", \.port, .int(0...65535))
    Option(
      "allow-from", "NETWORK",
      "a network that clients may connect from, e.g. 10.0.0.0/8; needed if --host is not loopback",
      repeats: true
    ) { value, draft in
      guard let network = IPNetwork(value.text) else {
        throw UsageError(
          value.source, value: value.text, expected: "an address as 10.0.0.7, or a network as 10.0.0.0/8")
      }
      draft.networks.append(network)
    }
    Option(
      "allowed-host", "HOST", "a host name by which clients reach the proxy, besides localhost and addresses",
      repeats: true
    ) { value, draft in draft.names.append(value.text) }
    Option(
      "tls-certificate", "FILE", "the certificate chain that the proxy shows clients, PEM (default: no TLS)",
      \.tls.certificate, .asGiven)
    Option("tls-key", "FILE", "the private key of --tls-certificate, PEM", \.tls.key, .asGiven)
    Option(
      "ca", "DIR",
      "the folder that postern proxy ca has made: accept CONNECT for the host of --to or of a route, and TLS",
      \.authority,
      .asGiven)
  }

  @OptionList<ProxyDraft>
  private static var target: [Option<ProxyDraft>] {
    Option(
      "set-header", "NAME=VALUE", "a header field that replaces the client's, e.g. Origin=https://app.example",
      each: \.headers)
    Option(
      "upstream-ca", "FILE", "the authority that signed the target's certificate, PEM (default: the system's)",
      \.authorityPath, .text)
    Option(
      "upstream-certificate", "FILE", "the client certificate that the target requires, PEM",
      \.identity.certificate, .asGiven)
    Option("upstream-key", "FILE", "the private key of --upstream-certificate, PEM", \.identity.key, .asGiven)
    Option("upstream-untrusted", "accept any certificate of a target on this machine", \.allowsUntrusted)
  }

  @OptionList<ProxyDraft>
  private static var limits: [Option<ProxyDraft>] {
    Option(
      "connections-max", "N", "the most WebSockets at once (default 1000; 50 to other machines)", \.connectionsMax,
      .int(1...100_000))
    Option(
      "dials-per-second", "N", "the most WebSocket upgrades per second (default: no limit; 10 to other machines)",
      \.dialsPerSecond,
      .number(0.01...1e6))
    Option(
      "requests-per-second", "N",
      "the most HTTP requests per second, upgrades excluded (default: no limit; 20 to other machines)",
      \.requestsPerSecond, .number(0.01...1e6))
    Option(
      "bytes-per-second", "N", "the most bytes per second to the target (default: no limit; 1048576 to other machines)",
      \.bytesPerSecond, .number(1024...1e12))
    Option(
      "message-bytes-max", "N",
      "the largest message in bytes, 1024 to 67108864; a larger one closes both sides with 1009 (default 1048576)",
      \.messageBytesMax, .int(1024...(64 << 20)))
    Option("i-may-storm", "HOST", "a host of --to that a storm may reach through this proxy", each: \.stormed)
  }

  private static let control = ProxyControlDraft.options.map { $0.of(\ProxyDraft.control) }

  @OptionList<ProxyDraft>
  private static var recording: [Option<ProxyDraft>] {
    Option(
      "record", "FILE",
      "record upgrades, messages and HTTP to this file, without secrets; an existing file is replaced", \.recordPath,
      .text)
    Option(
      "record-bytes-max", "N", "the largest recording in bytes; it ends there (default 1073741824)", \.recordBytesMax,
      .int(4096...(1 << 40)))
  }

  @OptionList<ProxyDraft>
  private static var routes: [Option<ProxyDraft>] {
    Option(
      "spaces", "let the control port create routes to this machine and the hosts of --i-may-proxy, one for each test",
      \.hostsSpaces)
    SpacesDraft.options.map { $0.of(\ProxyDraft.spaces) }
    Option(
      "end-with-input", "end when standard input ends, as on SIGTERM, e.g. with the process that started the proxy",
      \.endsWithInput)
  }
}
