internal import GatewayCore

/// A user of a company, and the name that user has among all of the gateway's.
///
/// The home company's users go by their external ids, so that an operator names them as their application does; those of
/// other companies, and the few whose own id has a `~`, by company, `~` and id. So no two users share a name.
struct StreemName: Hashable {
  private static let separator: Character = "~"

  let company: String
  let externalID: String

  init(company: String, externalID: String) {
    self.company = company
    self.externalID = externalID
  }

  init(_ user: StreemUser) {
    self.init(company: user.company, externalID: user.externalID)
  }

  init(_ user: UserID, home: String) {
    if let index = user.rawValue.firstIndex(of: Self.separator) {
      company = String(user.rawValue[..<index])
      externalID = String(user.rawValue[user.rawValue.index(after: index)...])
    } else {
      company = home
      externalID = user.rawValue
    }
  }

  func userID(home: String) -> UserID {
    let isPlain = company == home && !externalID.contains(Self.separator)
    return UserID(isPlain ? externalID : "\(company)\(Self.separator)\(externalID)")
  }
}
