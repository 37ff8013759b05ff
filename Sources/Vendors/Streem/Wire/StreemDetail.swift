/// What an `identify` says beside the token, by the names on the wire.
enum StreemDetail {
  static let name = "name"
  static let avatarURL = "avatarUrl"
  static let isExpert = "isExpert"
  static let companyCode = "companyCode"
  static let sdkVersion = "sdkVersion"
}
