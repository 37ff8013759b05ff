import GatewayKit

/// The control port that the flags of `postern ctl` name, and the space that it is asked about.
struct ControlConnection: Sendable {
  private var url = usualURL
  private var secret: String?
  private(set) var space: String?
  /// The process that must answer.
  private(set) var node: String?
  private(set) var printsJSON = false

  private static let usualURL = "http://127.0.0.1:8081"

  /// The flags of every action.
  static let section = FlagSection("the control port", port + space + answer)
  /// The flags of the commands that ask the control port more than once.
  static let portSection = FlagSection("the control port", port)
  /// The flags of the commands that ask for more than one answer of a gateway or a space.
  static let spaceSection = FlagSection("the control port", port + space)

  @OptionList<ControlConnection>
  private static var port: [Option<ControlConnection>] {
    Option("url", "URL", "the address of the gateway's control port (default \(usualURL))", \.url, .text)
    Option(
      "control-secret-file", "FILE", "the file with the bearer secret of a control port that is not on loopback",
      \.secret, .secret)
  }

  @OptionList<ControlConnection>
  private static var space: [Option<ControlConnection>] {
    Option(
      "space", "NAME", "send the order to this hosted space instead of the gateway", \.space,
      .text)
  }

  @OptionList<ControlConnection>
  private static var answer: [Option<ControlConnection>] {
    Option(
      "node", "NAME", "ask only the process with this --node-name, of those that share the store",
      \.node,
      .text)
    Option("json", "print the gateway's answer as JSON", \.printsJSON)
  }

  init(_ arguments: Arguments) throws { try arguments.read(Self.port + Self.space + Self.answer, into: &self) }

  /// Returns a client of the control port.
  func client() throws -> ControlClient { try ControlClient(url: url, secret: secret) }
}
