/// The login of a person with the dashboard's page, `POST /dashboard/login`.
struct LogInOrder: ControlOrder {
  static let form = #"{"secret": string}"#

  var secret: String

  enum CodingKeys: String, CodingKey, CaseIterable {
    case secret
  }
}
