internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayRuntime

/// The resources of the horizon, i.e. when the tokens of sessions expire, and the order that spreads a wave in advance.
struct HorizonRoutes {
  let gateway: Gateway

  /// A day, in seconds. No waves are known further ahead.
  private static let overMax = 86_400.0
  /// The year 33658, beyond all dates of tokens.
  static let timeMax = 1e12

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/horizon") { _, _ in await horizon() },
      HTTPRoute("POST", "/horizon/spread") { request, _ in
        do throws(GatewayError) {
          return try await spread(request)
        } catch {
          return ControlAnswer.error(error)
        }
      },
      HTTPRoute("DELETE", "/horizon/spread/{order}") { request, parameters in
        do throws(GatewayError) {
          return JournalRoutes.response(try await takeBack(parameters["order"], request))
        } catch {
          return ControlAnswer.error(error)
        }
      },
    ]
  }

  private func takeBack(_ text: String, _ request: HTTPRequest) async throws(GatewayError) -> [UInt8] {
    let _: NoMembers = try ControlAnswer.order(request)
    guard let number = UInt64(text), let reached = await gateway.takeBackSpread(number) else {
      throw .notFound.detailed("no order to spread a wave has this number, or all of its sessions have been asked")
    }
    gateway.log(
      .info, "order",
      [.init("order", "spread_taken_back"), .init("number", String(number))] + reached.fields
        + (OrderCaller.current?.fields ?? []))
    return JSONWriter.object { json in
      json.member("sessions", Int64(reached.sessions))
      Self.write(missing: reached.missing, to: &json)
    }
  }

  private static func write(missing: [String], to json: inout JSONWriter) {
    if !missing.isEmpty { json.member("nodes_missing", strings: missing) }
  }

  private func horizon() async -> HTTPResponse {
    let (reading, begin, missing) = await gateway.horizonOfNodes()
    let body = JSONWriter.object(capacity: 4_096) { json in
      json.name("time")
      json.number(begin.seconds)
      HorizonText.writeSums(reading, to: &json)
      json.member("bucket_s", Int64(HorizonText.length))
      HorizonText.write(reading.buckets(of: HorizonText.length), "buckets", to: &json)
      HorizonText.writeWaves(reading, at: begin, to: &json)
      Self.write(missing: missing, to: &json)
    }
    return JournalRoutes.response(body)
  }

  /// Throws for a dialect that the gateway does not support.
  static func checkDialect(_ dialect: String, of gateway: any Controllable) throws(GatewayError) {
    let known = gateway.dialectNames
    guard !known.contains(where: { Name($0) == Name(dialect) }) else { return }
    throw .invalidParameter.detailed(
      "no dialect is called '\(dialect.prefix(64))'" + Nearest.lead(from: dialect, to: Set(known).sorted()))
  }

  private func spread(_ request: HTTPRequest) async throws(GatewayError) -> HTTPResponse {
    let body: SpreadWaveOrder = try ControlAnswer.order(request)
    guard (0...Self.timeMax).contains(body.from), (0...Self.timeMax).contains(body.before), body.from < body.before
    else {
      throw .invalidParameter.detailed("from and before must be times in seconds since 1970, the one before the other")
    }
    guard (0...Self.overMax).contains(body.overS ?? 0) else {
      throw .invalidParameter.detailed("over_s must be 0 to 86400")
    }
    if let dialect = body.dialect { try Self.checkDialect(dialect, of: gateway) }
    let sessions = SessionFilter(user: body.user.map(UserID.init), dialects: body.dialect.map { [$0] })
    let order = SpreadOrder(
      sessions, from: WallTime(seconds: body.from), before: WallTime(seconds: body.before),
      over: body.overS.map { .saturating(seconds: $0) })
    let outcome = try await gateway.spread(order)
    gateway.log(
      .info, "order",
      [
        .init("order", "spread"), .init("from", String(body.from)), .init("before", String(body.before)),
      ] + Reached(sessions: outcome.sessions, missing: outcome.missing).fields + (OrderCaller.current?.fields ?? []))
    var response = JournalRoutes.response(
      JSONWriter.object { json in
        json.member("sessions", Int64(outcome.sessions))
        json.name("over_s")
        json.number((outcome.over.inSeconds * 1000).rounded() / 1000)
        Self.write(missing: outcome.missing, to: &json)
      })
    // Relative to the path of the order: below `/` and below a space.
    if let order = outcome.order { response.headers.append(HTTPField("location", "spread/\(order)")) }
    return response
  }
}
