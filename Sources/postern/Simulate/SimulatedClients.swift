import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner

/// The clients of a simulated storm: their wire, and their habits.
struct SimulatedClients {
  let vendor: any OfferedVendor.Type
  let dialect: StormDialect

  /// - Parameters:
  ///   - scheme: The vendor's; nil for the gateway's own.
  ///   - sdk: The SDK whose habits the clients have; nil for the vendor's usual one.
  init(scheme: String?, sdk: String?) throws {
    var arguments = Arguments(flags: StormCommand.flags)
    if let scheme { arguments.given["dialect"] = [.init(text: scheme, source: "\"dialect\"")] }
    if let sdk { arguments.given["sdk"] = [.init(text: sdk, source: "\"sdk\"")] }
    vendor = try Vendors.named(by: "dialect", arguments)
    dialect = try StormDialect(arguments)
  }

  /// Whether they have habits of their own: a client without does as its machine does, whatever its wire.
  private var haveHabits: Bool { dialect.client.habits != ClientHabits() }

  /// Puts the properties of these clients into the settings. Throws if machines cannot play them.
  ///
  /// - Parameter fidelity: The kind of world that plays them.
  func set(_ settings: inout WorldSettings, for fidelity: SimulateScenario.Fidelity) throws {
    settings.plan.dialect = dialect.client.name
    settings.plan.sdk = dialect.client.sdk
    settings.plan.comeback = dialect.comeback
    settings.closeNames = dialect.client.closeNames
    // Vendors date their tokens in whole seconds.
    settings.tokenGrain = vendor == Vendors.all[0] ? .microseconds(1) : .seconds(1)
    settings.wire = nil
    guard fidelity == .machines, haveHabits else { return }
    guard let wire = try WireReading(self).model() else {
      throw UsageError(
        "--fidelity machines: clients of \(vendor.scheme) have habits that need their wire; --fidelity wire plays them")
    }
    settings.wire = wire
  }
}
