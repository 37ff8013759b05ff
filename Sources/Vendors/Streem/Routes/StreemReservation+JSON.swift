internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// Reservations in the REST API.

extension StreemReservation {
  /// The possible lives: a second to a day.
  private static let lives = 1.0...86_400.0
  private static let usualLife = 600.0
  private static let priorities = -1_000_000...1_000_000
  private static let detailsMax = 50
  private static let groupBytesMax = 100

  init(_ body: JSONObject, company: Name, group: Name, secrets: Secrets, at now: WallTime) throws(GatewayError) {
    guard (1...Self.groupBytesMax).contains(group.text.utf8.count) else {
      throw .invalidParameter.detailed("the group's name must be 1 to \(Self.groupBytesMax) bytes")
    }
    let user = try body.needed("externalUserId", bytes: UserID.lengthMax)
    _ = try body.truth("queue")
    let seconds = try body.number("reserve_for_seconds") ?? Self.usualLife
    guard Self.lives.contains(seconds) else {
      throw .invalidParameter.detailed("reserve_for_seconds must be 1 to 86400")
    }
    let priority = try body.whole("priority", in: Self.priorities) ?? 0
    self.init(
      sid: Name(StreemID.make("rsv", from: secrets)), company: company, group: group, externalUserID: Name(user),
      priority: priority,
      details: try Self.details(body), roomSID: StreemID.make("rm", from: secrets), createdAt: now,
      lasts: .saturating(seconds: seconds))
  }

  private static func details(_ body: JSONObject) throws(GatewayError) -> [Detail] {
    guard body.has("details") else { return [] }
    let elements = body["details"]?.elements ?? []
    let details: [Detail] = elements.compactMap { element in
      guard let label = element["label"]?.string, let value = element["value"]?.string else { return nil }
      return Detail(label: label, value: value)
    }
    guard body["details"]?.elements != nil, details.count == elements.count, details.count <= detailsMax else {
      throw .invalidParameter.detailed("details must be an array of at most \(detailsMax) objects {label, value}")
    }
    return details
  }

  /// The vendor's word for the state. The first is a guess; the others occur in its documentation.
  private var statusName: String {
    switch status {
    case .reserved: "GROUP_RESERVATION_STATUS_RESERVED"
    case .canceled: "GROUP_RESERVATION_STATUS_CANCELED"
    case .expired: "GROUP_RESERVATION_STATUS_EXPIRED"
    }
  }

  func write(to json: inout JSONWriter, _ company: StreemCompany) {
    json.member("company_sid", company.sid)
    json.member("group") { json in
      json.member("sid", "grp_\(group)")
      json.member("name", group.text)
    }
    json.member("reservation_sid", sid.text)
    json.member("external_user_id", externalUserID.text)
    json.member("priority", Int64(priority))
    json.member("reserve_for_seconds", secondsOf: lasts.nanoseconds)
    json.member("reservation_status", statusName)
    // The position is always first, since experts are not simulated.
    json.member("queue_position", 1)
    json.member("estimated_wait_until", secondsOf: createdAt.nanoseconds)
    json.member("details", objects: details) { detail, json in
      json.member("label", detail.label)
      json.member("value", detail.value)
    }
    json.member("room_sid", roomSID)
  }
}
