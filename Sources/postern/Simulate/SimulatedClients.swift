import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner

/// The clients of a simulated storm: whose wire they speak, with which habits.
struct SimulatedClients {
  let vendor: any OfferedVendor.Type
  let dialect: StormDialect

  /// - Parameters:
  ///   - scheme: The vendor's; nil for the gateway's own.
  ///   - sdk: Whose habits they have; nil for the vendor's usual one.
  init(scheme: String?, sdk: String?) throws {
    var arguments = Arguments(flags: StormCommand.flags)
    if let scheme { arguments.given["dialect"] = [.init(text: scheme, source: "\"dialect\"")] }
    if let sdk { arguments.given["sdk"] = [.init(text: sdk, source: "\"sdk\"")] }
    vendor = try Vendors.named(by: "dialect", arguments)
    dialect = try StormDialect(arguments)
  }

  /// Whether the machines are these clients: a client without habits of its own does as its machine does, whatever its wire.
  var areMachines: Bool { dialect.client.habits == ClientHabits() }

  /// Tells the settings what is particular to these clients.
  func set(_ settings: inout WorldSettings) {
    settings.plan.dialect = dialect.client.name
    settings.plan.sdk = dialect.client.sdk
    settings.plan.comeback = dialect.comeback
    settings.closeNames = dialect.client.closeNames
    // Vendors date their tokens in whole seconds.
    settings.tokenGrain = vendor == Vendors.all[0] ? .microseconds(1) : .seconds(1)
  }
}
