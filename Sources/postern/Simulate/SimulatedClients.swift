import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner

/// The clients of a simulated storm: the vendor of their wire, and the SDK that they imitate.
struct SimulatedClients {
  let vendor: any OfferedVendor.Type
  let dialect: StormDialect

  /// Finds the vendor and the SDK.
  ///
  /// - Parameters:
  ///   - scheme: The vendor's scheme; nil for the gateway's own.
  ///   - sdk: The SDK that the clients imitate; nil for the vendor's usual one.
  init(scheme: String?, sdk: String?) throws {
    var draft = StormDraft()
    draft.dialect = scheme.map { .init(text: $0, source: "\"dialect\"") }
    draft.sdk = sdk.map { .init(text: $0, source: "\"sdk\"") }
    vendor = try Vendors.named(by: draft.dialect)
    dialect = try StormDialect(draft, Arguments(flags: []))
  }

  /// Whether they have special habits. Clients without any behave like the state machine on every wire.
  private var haveHabits: Bool { dialect.client.habits != ClientHabits() }

  /// Adds the properties of these clients to the settings. Throws if state machines cannot play them.
  ///
  /// - Parameters:
  ///   - settings: The settings to change.
  ///   - fidelity: The parts of the simulation.
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
