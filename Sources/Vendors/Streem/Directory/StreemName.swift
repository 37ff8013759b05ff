internal import GatewayCore

/// A user of a company, and the name that user has among all of the gateway's: `acme~ann` of the company `acme`, for
/// instance.
///
/// The home company's users go by their external ids, so that an operator names them as their application does; those of
/// other companies, and the few whose own id has a `~`, by company, `~` and id. So no two users share a name.
struct StreemName: Hashable {
  private static let separator = UInt8(ascii: "~")

  let company: Name
  let externalID: Name

  init(_ user: StreemUser) {
    company = user.company
    externalID = user.externalID
  }

  init(_ user: UserID, home: Name) {
    // By bytes: an accent at the start of the id would make one character of it and the separator.
    let bytes = user.rawValue.utf8
    if let index = bytes.firstIndex(of: Self.separator) {
      company = Name(Substring(bytes[..<index]))
      externalID = Name(Substring(bytes[bytes.index(after: index)...]))
    } else {
      company = home
      externalID = user.name
    }
  }

  func userID(home: Name) -> UserID {
    let isPlain = company == home && !externalID.text.utf8.contains(Self.separator)
    return UserID(isPlain ? externalID : Name("\(company)~\(externalID)"))
  }
}
