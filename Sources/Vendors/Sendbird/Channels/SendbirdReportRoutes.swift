internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of reports about channels, messages and users. Everybody who may see these can report them; servers can
/// list the reports.
struct SendbirdReportRoutes: Sendable {
  private static let categories = ["suspicious", "harassing", "inappropriate", "spam"]

  private let reports: SendbirdReports
  private let channels: SendbirdChannelRoutes
  private var services: any GatewayServices { channels.services }

  /// Creates the routes.
  ///
  /// - Parameters:
  ///   - reports: The directory of reports.
  ///   - channels: The channels, which decide who may report what.
  init(reports: SendbirdReports, channels: SendbirdChannelRoutes) {
    self.reports = reports
    self.channels = channels
  }

  var routes: [HTTPRoute] {
    let resource = channels.resource
    let user = "/v3/report/users/{user_id}"
    var routes = [
      resource.route("GET", "/v3/report") { request throws(SendbirdError) in try await list(request) { _ in true } },
      resource.route("POST", user) { request throws(SendbirdError) in
        var report = try report(request)
        report.offender = try await known(request.userInPath)
        return try await add(report, request)
      },
      resource.route("GET", user) { request throws(SendbirdError) in
        try await list(request) { $0.channel == nil && $0.offender == request.userInPath }
      },
    ]
    for kind in SendbirdChannel.Kind.allCases {
      let one = "/v3/report/\(kind.rawValue)_channels/{channel_url}"
      routes += [
        resource.route("POST", one) { request throws(SendbirdError) in
          try await add(try await report(of: kind, request), request)
        },
        resource.route("GET", one) { request throws(SendbirdError) in
          try await list(request) { $0.channel == request.channelURL && $0.message == nil }
        },
        resource.route("POST", one + "/messages/{message_id}") { request throws(SendbirdError) in
          var report = try await report(of: kind, request)
          let id = try channels.messageID(request)
          let message = try await channels.ask { () throws(SendbirdChannelRefusal) in
            try await channels.channels.message(id, in: request.channelURL, at: services.wallTime)
          }
          report.message = id
          report.offender = message.sender?.id
          return try await add(report, request)
        },
        resource.route("GET", one + "/messages/{message_id}") { request throws(SendbirdError) in
          let id = try channels.messageID(request)
          return try await list(request) { $0.channel == request.channelURL && $0.message == id }
        },
      ]
    }
    return routes
  }

  // MARK: Creating

  private func report(_ request: SendbirdRequest) throws(SendbirdError) -> SendbirdReport {
    try request.needsWriter()
    let body = try request.body
    let category = try body.requiredString("report_category", max: SendbirdLimits.customType)
    guard Self.categories.contains(where: { $0.utf8.elementsEqual(category.utf8) }) else {
      throw .invalid("report_category")
    }
    var report = SendbirdReport(
      category: category, description: try body.string("report_description", max: SendbirdLimits.report) ?? "",
      at: services.wallTime)
    report.reporter = request.actor(try body.user("reporting_user_id"))
    return report
  }

  private func report(
    of kind: SendbirdChannel.Kind, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> SendbirdReport {
    var report = try report(request)
    report.channel = try await channels.visible(kind, request).url
    report.kind = kind
    if let offender = try request.body.user("offending_user_id") { report.offender = try await known(offender) }
    return report
  }

  private func known(_ user: UserID) async throws(SendbirdError) -> UserID {
    guard try await channels.directory.find(user, at: services.wallTime) != nil else { throw .notFound("User") }
    return user
  }

  private func add(_ report: SendbirdReport, _ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    do throws(GatewayError) {
      try await reports.add(report, at: services.wallTime)
    } catch {
      throw SendbirdError(error)
    }
    return SendbirdResource.answer { Self.write(report, to: &$0) }
  }

  // MARK: Reading

  private func list(
    _ request: SendbirdRequest, where isMeant: (SendbirdReport) -> Bool
  ) async throws(SendbirdError) -> HTTPResponse {
    try request.needsServer()
    let (limit, start) = (try request.limit, try request.pageStart)
    let page: (reports: [SendbirdReport], next: Int?)
    do throws(GatewayError) {
      page = try await reports.reports(from: start, limit: limit, at: services.wallTime, where: isMeant)
    } catch {
      throw SendbirdError(error)
    }
    return SendbirdResource.answer { json in
      json.member("report_logs", objects: page.reports) { Self.write($0, to: &$1) }
      json.member("next", page.next.map { SendbirdPageToken.text(Int64($0)) } ?? "")
    }
  }

  private static func write(_ report: SendbirdReport, to json: inout JSONWriter) {
    json.member("report_type", report.message != nil ? "message" : report.channel != nil ? "channel" : "user")
    json.member("report_category", report.category)
    json.member("report_description", report.description)
    json.member("reporting_user") { $0.member("user_id", report.reporter?.rawValue ?? "") }
    if let offender = report.offender { json.member("offending_user") { $0.member("user_id", offender.rawValue) } }
    if let channel = report.channel, let kind = report.kind {
      json.member("channel") { json in
        json.member("channel_url", channel.text)
        json.member("channel_type", "\(kind.rawValue)_channels")
      }
    }
    if let message = report.message { json.member("reported_message") { $0.member("message_id", message) } }
    json.member("created_at", report.at.milliseconds)
  }
}
