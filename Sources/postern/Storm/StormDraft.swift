import GatewayCore
import GatewayFleet
import GatewayKit

/// The values of the flags of `postern storm`, before they are checked together.
struct StormDraft: Sendable {
  // MARK: Addresses

  var urls: [Arguments.Value] = []
  var provider: Arguments.Value?
  var tokens: Arguments.Value?
  var templateSecrets: [Arguments.Value] = []
  var isProviderOnly = false
  /// The file of the provider's secret.
  var providerSecret: Arguments.Value?
  var controls: [Arguments.Value] = []
  var controlSecret: Credentials?
  /// The faults of the gateway, as orders in JSON.
  var faults: [Arguments.Value] = []
  var scenario: Sourced<SimulateScenario>?
  /// The whole scenario if it has several fleets, the fleets as they are carried out, and which of them this draft is of.
  var several: Sourced<SimulateScenario>?
  var fleets: [ScenarioFleet.Part] = []
  private(set) var fleet = 0
  /// The first gateway of the flags, whose provider all fleets share that have none; nil for the fleet's own gateway.
  var home: Arguments.Value?
  /// The error that the file does not say where a fleet's gateway or provider is; nil if it does.
  var unplaced: UsageError?
  /// The numbers of clients of the flags.
  var sizes = FleetSizes()
  /// The name of its file, without the folder.
  var scenarioName: String?
  var isInsecure = false
  var traces = TracesDraft()
  /// The hosts whose operators know of the storm.
  var informed: [Arguments.Value] = []
  /// The hosts of shared services, whose operators consent.
  var consenting: [Arguments.Value] = []

  // MARK: The clients

  var dialect: Arguments.Value?
  var wire: Arguments.Value?
  var sdk: Arguments.Value?
  var application: Arguments.Value?
  var isMinting: Sourced<Bool>?
  var issuer = IssuerDraft()

  // MARK: The plan

  /// The plan of the scenario, if there is one, with the values of flags.
  var plan = StormPlan()
  var rate: Double?
  var expiry: Sourced<StormPlan.Expiry>?
  var startsAt: WallTime?
  var expireAfter: Sourced<Duration>?
  var life: Sourced<Duration>?
  var jitter: Sourced<Double>?
  var refreshLead: Duration?
  var refreshSpread: Duration?
  var refreshTimeout: Duration?
  var reconnects: Sourced<Bool>?
  var fetches: Int?
  var fetchRate: Double?
  var connectTimeout: Sourced<Duration>?

  // MARK: The machinery

  var sources: Sourced<Int>?
  var processes: Int?
  var workers = WorkerDraft()
  var stopRules: [String] = []
  var isUnmarked = false
  var timeout: Duration?

  // MARK: The outcome

  var thresholds: [String] = []
  var reportDirectory: String?
  var livePort: Int?
  var liveTime: Sourced<Duration>?
  var printsJSON = false
  var outputs = ReportOutputs()

  init() {}

  /// Reads the flags.
  ///
  /// - Parameters:
  ///   - isPart: Whether this process is a part of a storm. Parts write no files and have no workers.
  ///   - fleet: The number of the fleet, if the scenario has several.
  init(_ arguments: Arguments, isPart: Bool, fleet: Int = 0) throws {
    self.fleet = fleet
    try arguments.read(StormFlags.options, into: &self)
    if !isPart { try arguments.read(StormFlags.optionsOfWhole, into: &self) }
  }

  /// The dialect of the flags, else of the scenario. A wire takes its place.
  var namedDialect: Arguments.Value? {
    if dialect != nil || wire != nil { return dialect }
    return scenario?.value.dialect.map { Arguments.Value(text: $0, source: place(of: "dialect")) }
  }

  /// The SDK of the flags, else of the scenario.
  var namedSDK: Arguments.Value? {
    sdk ?? scenario?.value.sdk.map { Arguments.Value(text: $0, source: place(of: "sdk")) }
  }

  var mints: Bool { isMinting?.value == true }
}
