/// A user's role in a call, by the vendor's names.
package enum StreemRole: String, Hashable, Codable, Sendable, CaseIterable {
  case localCustomer = "LOCAL_CUSTOMER"
  case onsiteCustomer = "ONSITE_CUSTOMER"
  case remotePro = "REMOTE_PRO"
  case onsitePro = "ONSITE_PRO"

  package var isPro: Bool { self == .remotePro || self == .onsitePro }

  /// The default role of the other user.
  package var counterpart: StreemRole {
    switch self {
    case .localCustomer: .remotePro
    case .remotePro: .localCustomer
    case .onsiteCustomer: .onsitePro
    case .onsitePro: .onsiteCustomer
    }
  }
}
