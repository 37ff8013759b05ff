internal import GatewayCore

/// The gateway-wide name of a company's user.
///
/// Users of the home company have their external ids as names, so that operators see the application's names. Users of
/// other companies, and the few whose own id contains a `~`, have company, `~` and id. All names therefore differ.
struct StreemName: Hashable {
  private static let separator = UInt8(ascii: "~")

  let company: Name
  let externalID: Name

  init(_ user: StreemUser) {
    company = user.company
    externalID = user.externalID
  }

  init(_ user: UserID, home: Name) {
    // Compared by bytes: an accent at the start of the id would combine with the separator into one character.
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
