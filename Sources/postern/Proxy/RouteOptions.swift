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
  private static let ofRoute: Set<String> = ["wire", "set-header"]

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
    /// What says what messages mean; nil for what the process has.
    var wire: ProxyWire?
    var fields: [HTTPField] = []
  }

  /// Reads the settings of an order. Throws a `GatewayError` with the reason.
  func read(_ settings: [SpaceOrder.Setting]) throws -> Reading {
    try OrderedSettings.reading {
      var reading = Reading()
      for setting in settings {
        let values = try ordered.values(of: setting)
        if Name(setting.name) == Name("wire") {
          reading.wire = try values.last.map(ProxyControlOptions.wire)
        } else {
          reading.fields = try ReplacedFields.read(values)
        }
      }
      return reading
    }
  }
}
