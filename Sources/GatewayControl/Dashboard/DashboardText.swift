internal import GatewayCore
internal import GatewayJSON
internal import GatewayRuntime
internal import GatewaySpace

/// A reading of the figures of a gateway or a route in JSON, as its dashboard shows them. It has only counts, nothing of a
/// single session.
struct DashboardText {
  /// The time of day.
  var now: WallTime
  var uptime: Duration
  var isDraining = false
  /// The connections by phase, of each wire.
  var phases: [(dialect: String, counts: [(name: String, count: UInt64)])] = []
  /// The users by kind, of each wire.
  var kinds: [(dialect: String, counts: [(kind: UserKind, count: UInt64)])] = []
  var metrics: [DialectMetrics] = []
  /// The figures of the token provider, by name.
  var provider: [(String, UInt64)] = []
  var horizon = HorizonReading()
  /// The time of day when the horizon's first second began.
  var horizonBegin: WallTime
  var spreads: [SpreadOrder.Progress] = []
  /// The issuers and backends that vouch for users; nil without any.
  var vouching: Vouching?

  /// Returns a reading of a gateway.
  static func reading(of space: Space) async -> DashboardText {
    let gateway = space.gateway
    let metrics = await gateway.metrics()
    let phases = await gateway.phasesByDialect()
    let kinds = await gateway.usersByDialect()
    let (horizon, begin) = await gateway.horizon()
    let (now, uptime) = await gateway.tables[0].perform { ($0.loop.wallTime, $0.transport.now - $0.openedAt) }
    var text = DashboardText(now: now, uptime: uptime, horizonBegin: begin)
    text.isDraining = gateway.isDraining
    text.phases = phases.map { ($0.dialect, $0.counts.map { ($0.phase.name, $0.count) }) }
    text.kinds = kinds
    text.metrics = metrics.byDialect
    text.horizon = horizon
    text.spreads = await gateway.spreadsUnderWay()
    text.provider = await space.providerCounts()
    text.vouching = await space.vouching()
    return text
  }

  /// Returns the reading as JSON.
  ///
  /// - Parameters:
  ///   - name: The name of a space that the process hosts.
  ///   - number: The number of the reading since the gateway's start.
  func json(named name: String?, number: UInt64) -> String {
    var json = JSONWriter(capacity: 8_192)
    json.beginObject()
    json.member("number", Int64(clamping: number))
    json.name("time")
    json.number(now.seconds)
    json.member("version", GatewayDescription.currentVersion)
    if let name { json.member("space", name) }
    json.member("uptime_s", max(0, uptime.milliseconds / 1_000))
    json.member("draining", isDraining)
    json.name("dialects")
    json.beginArray()
    for (dialect, counts) in phases {
      json.beginObject()
      json.member("name", dialect)
      Self.write(counts.map { ($0.name, $0.count) }, "phases", to: &json)
      let users = kinds.first { $0.dialect == dialect }?.counts ?? []
      Self.write(users.map { ($0.kind.rawValue, $0.count) }, "kinds", to: &json)
      json.endObject()
    }
    json.endArray()
    json.member("totals") { Self.writeTotals(metrics, to: &$0) }
    Self.write(provider, "provider", to: &json)
    json.member("horizon") { json in
      json.name("time")
      json.number(horizonBegin.seconds)
      HorizonText.writeSums(horizon, to: &json)
      json.member("bucket_s", Int64(HorizonText.length))
      HorizonText.write(horizon.buckets(of: HorizonText.length), "buckets", to: &json)
      HorizonText.writeWaves(horizon, at: horizonBegin, to: &json)
    }
    json.name("spreads")
    json.beginArray()
    for order in spreads {
      json.beginObject()
      json.member("order", Int64(clamping: order.order))
      json.member("waiting", Int64(order.waiting))
      json.member("left_s", Int64(order.left.inSeconds.rounded(.up)))
      json.endObject()
    }
    json.endArray()
    if let vouching { json.member("vouching") { Self.write(vouching, to: &$0) } }
    json.endObject()
    return json.text
  }

  /// The reasons of ends that the gateway did not cause: the client closed the connection, or was lost.
  private static let ownEnds = Set(
    [CloseReason.normal, .peerClosed, .connectionLost, .closeTimeout].map(\.name))

  private static func writeTotals(_ dialects: [DialectMetrics], to json: inout JSONWriter) {
    var (ended, refused) = ([String: UInt64](), [String: UInt64]())
    var opened: UInt64 = 0
    var (logins, loginsRefused, requests, refreshes): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var durations = Histogram()
    for dialect in dialects {
      opened += dialect.connectionsOpened
      logins += dialect.logins.total
      loginsRefused += dialect.loginsRefused.total
      requests += dialect.refreshesRequested.total
      refreshes += dialect.refreshesAccepted.total
      refused.merge(dialect.refreshesRefused.values, uniquingKeysWith: +)
      ended.merge(dialect.connectionsEnded.values, uniquingKeysWith: +)
      durations.merge(dialect.refreshDuration)
    }
    let sums: [(StaticString, UInt64)] = [
      ("connections_opened", opened), ("logins", logins), ("logins_refused", loginsRefused),
      ("refresh_requests", requests), ("refreshes", refreshes), ("refreshes_timed", durations.count),
    ]
    for (name, sum) in sums { json.member(name, Int64(clamping: sum)) }
    json.name("refresh_seconds")
    json.number((durations.sumSeconds * 1_000).rounded() / 1_000)
    let isCutOff = { (end: Dictionary<String, UInt64>.Element) in !ownEnds.contains(end.key) }
    write(refused.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, "refreshes_refused", to: &json)
    write(ended.filter(isCutOff).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, "cut_off", to: &json)
    write(ended.filter { !isCutOff($0) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, "left", to: &json)
  }

  private static func write(_ vouching: Vouching, to json: inout JSONWriter) {
    json.name("issuers")
    json.beginArray()
    for issuer in vouching.issuers {
      json.beginObject()
      json.member("name", issuer.name)
      json.member("keys", Int64(issuer.keys))
      if let age = issuer.age { json.member("age_s", max(0, age.milliseconds / 1_000)) }
      json.endObject()
    }
    json.endArray()
    json.name("servers")
    json.beginArray()
    for server in vouching.servers {
      json.beginObject()
      json.member("name", server.name)
      json.member("away", server.isAway)
      json.endObject()
    }
    json.endArray()
    json.member("on_grace", Int64(vouching.sessionsOnGrace))
  }

  private static func write(_ counts: [(String, UInt64)], _ name: StaticString, to json: inout JSONWriter) {
    json.member(name) { json in
      for (name, count) in counts {
        json.name(name)
        json.integer(Int64(clamping: count))
      }
    }
  }
}
