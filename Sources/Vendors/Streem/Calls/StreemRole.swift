/// The part that somebody has in a call, by the vendor's names: `REMOTE_PRO` for an expert at a desk, for instance.
package enum StreemRole: String, Hashable, Codable, Sendable, CaseIterable {
  case localCustomer = "LOCAL_CUSTOMER"
  case onsiteCustomer = "ONSITE_CUSTOMER"
  case remotePro = "REMOTE_PRO"
  case onsitePro = "ONSITE_PRO"

  package var isPro: Bool { self == .remotePro || self == .onsitePro }

  /// What the other one is unless they say.
  package var counterpart: StreemRole {
    switch self {
    case .localCustomer: .remotePro
    case .remotePro: .localCustomer
    case .onsiteCustomer: .onsitePro
    case .onsitePro: .onsiteCustomer
    }
  }
}
