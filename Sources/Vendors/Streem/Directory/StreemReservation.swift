internal import GatewayCore
internal import GatewayKit

/// A reservation: a place in the queue of a company's group of experts.
struct StreemReservation: Hashable, StoreValue {
  /// The state of a reservation.
  enum Status: String, Hashable, Codable, Sendable, CaseIterable {
    case reserved
    case canceled
    case expired
  }

  /// A label and a value that the company wants shown.
  struct Detail: Hashable, Codable, Sendable {
    var label: String
    var value: String
  }

  /// `rsv_` and 22 letters and digits.
  var sid: Name
  /// The company's code.
  var company: Name
  /// The group's name in URLs.
  var group: Name
  var externalUserID: Name
  var priority: Int
  var details: [Detail]
  /// The sid of the future call: `rm_` and 22 letters and digits.
  var roomSID: String
  var createdAt: WallTime
  var lasts: Duration
  var status: Status = .reserved

  var endsAt: WallTime { createdAt + lasts }
}
