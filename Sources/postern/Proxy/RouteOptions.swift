import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayProxy
import GatewayRuntime
import GatewayServer
import GatewaySpace

/// The routes that orders make at a proxy, as its flags say.
struct RouteOptions: Sendable {
  let countMax: Int
  let journalBytesMax: Int
  let allowsLowPorts: Bool
  private let ordered: OrderedSettings

  /// The options of a route; the others are the process's.
  private static let ofRoute: Set<String> = [
    "wire", "dialect", "tokens", "token-route", "token-at", "set-header", "also-to",
  ]

  init(_ draft: SpacesDraft) {
    countMax = draft.countMax
    journalBytesMax = draft.journalMiB << 20
    allowsLowPorts = draft.allowsLowPorts
    let flags = ProxyFlags.options.map(\.flag)
    ordered = OrderedSettings(
      flags, ofProcess: Set(flags.map(\.name)).subtracting(Self.ofRoute), command: ProxyCommand.name,
      folder: draft.folder.map { SpaceFolder(path: $0) })
  }

  /// The settings of an order.
  struct Reading {
    /// The wire that gives messages their meaning; nil for the process's own.
    var wire: ProxyWire?
    /// The application's token endpoint; nil if none is named.
    var tokens: ProxyTokenOptions?
    var fields: [HTTPField] = []
    /// The other addresses of the gateway.
    var others: [Arguments.Value] = []
  }

  /// Reads the settings of an order. Throws a `GatewayError` with the reason.
  ///
  /// - Parameter target: Returns the server of an address, or throws if no route may lead there.
  func read(_ settings: [SpaceOrder.Setting], target: (ProxyAddress) throws -> ProxyTarget) throws -> Reading {
    try OrderedSettings.reading {
      var (reading, draft) = (Reading(), ProxyControlDraft())
      for setting in settings {
        let values = try ordered.values(of: setting)
        switch setting.name {
        case "wire": draft.wire = values.last
        case "dialect": draft.dialect = values.last
        case "tokens": draft.tokens = values.last
        case "token-route": draft.tokenRoute = values.last
        case "token-at": draft.tokenAt = values.last
        case "also-to": reading.others = values
        default: reading.fields = try ReplacedFields.read(values)
        }
      }
      reading.wire = try ProxyControlOptions.wire(draft)
      reading.tokens = try ProxyTokenOptions(ofRoute: draft, target: target)
      return reading
    }
  }
}
