internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of statistics, for servers: connections and active users, that is users who are connected or were last
/// seen within the day or month. Earlier days of a user who was seen later are not stored.
struct SendbirdStatisticsRoutes: Sendable {
  private static let pageSize = 500

  private let services: any GatewayServices
  private let directory: SendbirdDirectory
  private let resource: SendbirdResource

  init(
    gate: SendbirdGate, services: any GatewayServices, directory: SendbirdDirectory, rates: SendbirdRates? = nil
  ) {
    self.services = services
    self.directory = directory
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
  }

  var routes: [HTTPRoute] {
    [
      resource.route("GET", "/v3/applications/ccu") { request throws(SendbirdError) in
        try request.needsServer()
        let count = await services.sessionCount(of: SendbirdWire.name)
        return SendbirdResource.answer { $0.member("ccu", Int64(count)) }
      },
      resource.route("GET", "/v3/applications/dau") { request throws(SendbirdError) in
        try request.needsServer()
        let today = WallTime(seconds: (services.wallTime.seconds / 86_400).rounded(.down) * 86_400)
        let start = try Self.start(request, ofForm: "2026-08-31", "T00:00:00Z") ?? today
        let count = try await active(in: start..<(start + .seconds(86_400)))
        return SendbirdResource.answer { $0.member("dau", count) }
      },
      resource.route("GET", "/v3/applications/mau") { request throws(SendbirdError) in
        try request.needsServer()
        // A day within a month tells which month is meant, and the day 31 days after its first is in the next one.
        let asked = try Self.start(request, ofForm: "2026-08", "-01T00:00:00Z") ?? services.wallTime
        let month = Self.month(of: asked)
        let count = try await active(in: month..<Self.month(of: month + .seconds(31 * 86_400)))
        return SendbirdResource.answer { $0.member("mau", count) }
      },
    ]
  }

  /// Returns the start of the period in `date`; nil if there is none.
  ///
  /// - Parameters:
  ///   - form: A date in the required format.
  ///   - rest: The suffix that makes the date a time.
  private static func start(
    _ request: SendbirdRequest, ofForm form: String, _ rest: String
  ) throws(SendbirdError) -> WallTime? {
    guard let text = request.text("date") else { return nil }
    guard text.utf8.count == form.utf8.count, let start = WallTime(rfc3339: text + rest) else { throw .invalid("date") }
    return start
  }

  /// Returns the first moment of the time's month.
  private static func month(of time: WallTime) -> WallTime {
    // The estimate is off by one year at most.
    let year = 1970 + Int(time.seconds / 31_556_952)
    let starts = (year - 1...year + 1).flatMap { year in
      (1...12).compactMap { WallTime(rfc3339: "\(year)-\($0 < 10 ? "0" : "")\($0)-01T00:00:00Z") }
    }
    return starts.last { $0 <= time } ?? time
  }

  private func active(in period: Range<WallTime>) async throws(SendbirdError) -> Int64 {
    var query = SendbirdUserQuery(activity: .all, limit: Self.pageSize)
    var count = 0
    repeat {
      let page: SendbirdUserPage
      do throws(GatewayError) {
        page = try await directory.users(query, at: services.wallTime)
      } catch {
        throw SendbirdError(error)
      }
      let isNow = period.contains(services.wallTime)
      let online = isNow ? await services.connected(of: page.users.map(\.id)) : []
      count += page.users.count { user in
        online.contains(user.id) || user.lastSeenAt.map(period.contains) == true
      }
      query.before = page.next
    } while query.before != nil
    return Int64(count)
  }
}
