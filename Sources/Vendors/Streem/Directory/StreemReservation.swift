package import GatewayCore
internal import GatewayKit

/// A reservation: a place in the queue of a company's group of experts.
package struct StreemReservation: Hashable, StoreValue {
  /// The state of a reservation.
  package enum Status: String, Hashable, Codable, Sendable, CaseIterable {
    case reserved
    case canceled
    case expired
  }

  /// A label and a value that the company wants shown.
  package struct Detail: Hashable, Codable, Sendable {
    package var label: String
    package var value: String

    package init(label: String, value: String) {
      self.label = label
      self.value = value
    }
  }

  /// `rsv_` and 22 letters and digits.
  package var sid: Name
  /// The company's code.
  package var company: Name
  /// The group's name in URLs.
  package var group: Name
  package var externalUserID: Name
  package var priority: Int
  package var details: [Detail]
  /// The sid of the future call: `rm_` and 22 letters and digits.
  package var roomSID: String
  package var createdAt: WallTime
  package var lasts: Duration
  package var status: Status

  package init(
    sid: Name, company: Name, group: Name, externalUserID: Name, priority: Int, details: [Detail],
    roomSID: String, createdAt: WallTime, lasts: Duration, status: Status = .reserved
  ) {
    self.sid = sid
    self.company = company
    self.group = group
    self.externalUserID = externalUserID
    self.priority = priority
    self.details = details
    self.roomSID = roomSID
    self.createdAt = createdAt
    self.lasts = lasts
    self.status = status
  }

  package var endsAt: WallTime { createdAt + lasts }
}
