internal import GatewayCore
import GatewayKit

/// The flags about the SFU to which a join sends clients, e.g. `--stream-sfu off`.
enum StreamSFUOptions {
  /// The SFU that clients use. An address alone also selects an external SFU.
  static let place = [sfu, url, socket]

  private static let sfu = Option<StreamCallPolicy>(
    "stream-sfu", "own|off|URL",
    "the SFU that a Stream join leads to: own is the gateway, without media (default); off is none; URL is another SFU"
  ) { value, calls in
    if value.text == "own" { return }
    calls.sfu = nil
    guard value.text != "off" else { return }
    let address = try origin(value)
    calls.sfuURL = address + "/twirp"
    calls.sfuSocket = "ws" + address.dropFirst("http".count) + "/ws"
  }

  private static let url = Option<StreamCallPolicy>(
    "stream-sfu-url", "URL",
    "the address of another SFU's remote procedures (default: URL/twirp, with the URL of --stream-sfu)"
  ) { value, calls in
    calls.sfu = nil
    calls.sfuURL = value.text
  }

  private static let socket = Option<StreamCallPolicy>(
    "stream-sfu-socket", "URL",
    "the address of another SFU's WebSocket, ws or wss (default: URL/ws, with the URL of --stream-sfu)"
  ) { value, calls in
    calls.sfu = nil
    calls.sfuSocket = value.text
  }

  /// The options of the gateway's own SFU.
  static var own: [Option<StreamCallPolicy>] {
    policy.map { $0.of(\.sfu, orElse: "is about the gateway's own SFU, and clients are sent elsewhere") }
  }

  @OptionList<StreamSFUPolicy>
  private static var policy: [Option<StreamSFUPolicy>] {
    Option(
      "stream-sfu-address", "URL",
      "the address at which clients reach the gateway's own SFU, e.g. https://calls.example (default: the Host of each join)"
    ) { $1.address = try origin($0) }
    Option(
      "stream-sfu-token-life", "DURATION",
      "how long a join's token is valid at the gateway's own SFU (default 1h)", \.tokenLife, .secondOrMore)
    Option(
      "stream-sfu-return", "DURATION",
      "how long a participant stays in the call after the socket to the SFU is lost (default 5s)",
      \.returnWindow, .duration)
    admitting
    refusing
  }

  private static let admitting = Option<StreamSFUPolicy>(
    "stream-sfu-anonymous", "accept anonymous viewers with a call token on the SFU's socket (the default)",
    \.admitsAnonymous)
  private static let refusing = Option<StreamSFUPolicy>(
    "stream-sfu-refuse-anonymous", "reject anonymous viewers on the SFU's socket", \.admitsAnonymous, on: false)

  static func check(_ arguments: Arguments) throws {
    let isElsewhere = [url, socket].contains { !arguments.values(of: $0).isEmpty }
    guard arguments.values(of: sfu).last?.text != "own" || !isElsewhere else {
      throw UsageError("--stream-sfu own, and --stream-sfu-url or --stream-sfu-socket, name two places")
    }
    guard arguments.values(of: admitting).isEmpty || arguments.values(of: refusing).isEmpty else {
      throw UsageError("--stream-sfu-anonymous and --stream-sfu-refuse-anonymous exclude each other; give one of them")
    }
  }

  /// Reads an origin: scheme, host and optional port, and nothing after them.
  private static func origin(_ value: Arguments.Value) throws -> String {
    guard let address = WebAddress(value.text), ["http", "https"].contains(address.scheme), address.path.isEmpty,
      address.query == nil, !address.hasFragment, !address.hasUser
    else {
      throw UsageError(value.source, value: value.text, expected: "an address as https://calls.example, no / last")
    }
    return value.text
  }
}
