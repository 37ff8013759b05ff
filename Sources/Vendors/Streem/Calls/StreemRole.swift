/// A user's role in a call, by the vendor's names.
enum StreemRole: String, Hashable, Codable, Sendable, CaseIterable {
  case localCustomer = "LOCAL_CUSTOMER"
  case onsiteCustomer = "ONSITE_CUSTOMER"
  case remotePro = "REMOTE_PRO"
  case onsitePro = "ONSITE_PRO"

  var isPro: Bool { self == .remotePro || self == .onsitePro }

  /// The default role of the other user.
  var counterpart: StreemRole {
    switch self {
    case .localCustomer: .remotePro
    case .remotePro: .localCustomer
    case .onsiteCustomer: .onsitePro
    case .onsitePro: .onsiteCustomer
    }
  }
}
