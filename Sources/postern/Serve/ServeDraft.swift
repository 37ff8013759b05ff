import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayServer
import GatewaySpace
import GatewayStores
import GatewayWires

/// The values of the flags of `postern serve`, before they are checked together.
struct ServeDraft: Sendable {
  // MARK: Addresses

  /// The addresses to listen on; empty for loopback.
  var hosts: [String] = []
  var port = 8080
  var controlHost = "127.0.0.1"
  var controlPort = 8081
  var controlSecret: String?
  var controlAllowedHosts: [String] = []
  var proxies: [IPNetwork] = []
  var speaksProxyProtocol = false
  var tls = CertificateFlags()

  // MARK: Sessions and limits

  var loginTimeout = Duration.seconds(10)
  var refreshTimeout = Duration.seconds(60)
  var takesAnyRefreshTimeout = false
  var refreshLead = Duration.zero
  var refreshSpread = Duration.zero
  var revocation = SessionPolicy.RevocationAction.refresh
  var drainWindow = Duration.seconds(5)
  /// The configuration; its session policy is replaced by that of the flags.
  var configuration: GatewayConfiguration
  var limits = ServerLimits()
  /// The maximum number of connections, if a flag sets it.
  var connectionsMax: Int?

  // MARK: The application's own login

  var identity = IdentityDraft()
  var traces = TracesDraft()

  // MARK: The token provider

  var providerLatency = Duration.zero
  var providerConcurrency: Int?
  var providerQueueMax = 100_000
  var providerAbandoned = TokenProviderPolicy.Abandoned.serve
  var providerBudgets: [RequestBudget] = []
  var providerFailureRate = 0.0
  var providerRotation: RotationPolicy?
  var providerRepliesLost = 0.0
  var providerSecret: Credentials?
  var tokenLife = Duration.seconds(3600)

  // MARK: The process

  var logLevel = LogLevel.info
  var logFormat = OperatorLog.Format.text
  var store = StoreChoice.memory
  var setsDamagedAside = false
  var nodeName: String?
  var redis = RedisFlags()
  var hostsSpaces = false
  var spaces = SpacesDraft()
  /// The number of loops; nil for one per core, or for a single one with spaces, faults or a journal.
  var loops: Int?
  var endsWithInput = false
  var keepsJournal = false
  var keepsPayloads = false
  var takesFaults = false
  var seed: UInt64?
  /// The description of an additional wire; nil for none.
  var wire: WireDescription?
  /// The values of the secrets in that description.
  var templateSecrets: [Arguments.Value] = []

  init() throws {
    configuration = GatewayConfiguration(session: try SessionPolicy())
  }

  /// The number of loops. A journal and faults need a single one: a journal has the order of one loop, and faults count their
  /// occurrences there.
  var loopCount: Int {
    get throws {
      for (isWanted, name) in [
        (keepsJournal, "--journal"), (keepsPayloads, "--journal-payloads"), (takesFaults, "--faults"),
      ] where isWanted {
        guard loops ?? 1 == 1 else {
          throw UsageError("\(name) is of one loop, and --loops is \(loops ?? 1); leave --loops out")
        }
      }
      return loops ?? (hostsSpaces || keepsJournal || keepsPayloads || takesFaults ? 1 : Self.cores)
    }
  }

  /// The number of cores, counted once, since the system reads files for it.
  private static let cores = max(1, min(ProcessEnvironment.cores, 256))
}
