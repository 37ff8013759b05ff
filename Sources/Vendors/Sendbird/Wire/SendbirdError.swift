/// An error in Sendbird's numbers: 4xxxxx over HTTP and in a login's answer, 9xxxxx in answer to a command. 800101 is
/// of the client's own table, where the gateway returns it on the client's behalf.
struct SendbirdError: Error, Hashable, Sendable {
  let code: Int
  /// The text for people. Never contains a token or a secret.
  let message: String

  init(_ code: Int, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The status over HTTP. Only the exceptions are documented; clients read the code.
  var httpStatus: Int {
    switch code {
    case 403_100: 403
    case 500_601, 500_602, 500_901: 500
    case 500_910: 429
    case 503: 503
    default: 400
    }
  }

  /// Returns the same error with a detail of this occurrence.
  func detailed(_ detail: String) -> SendbirdError {
    SendbirdError(code, "\(message) \(detail)")
  }

  /// Returns whether both have the same code.
  func isSame(as other: SendbirdError) -> Bool {
    code == other.code
  }
}

// MARK: - Contents of requests

extension SendbirdError {
  static func notString(_ name: String) -> Self { Self(400_100, "\"\(name)\" must be a string.") }
  static func notNumber(_ name: String) -> Self { Self(400_101, "\"\(name)\" must be a number.") }
  static func notList(_ name: String) -> Self { Self(400_102, "\"\(name)\" must be a list.") }
  static func notJSON(_ name: String) -> Self { Self(400_103, "\"\(name)\" must be a JSON object.") }
  static func notBoolean(_ name: String) -> Self { Self(400_104, "\"\(name)\" must be a boolean.") }
  static func missing(_ name: String) -> Self { Self(400_105, "\"\(name)\" is required.") }
  static func negative(_ name: String) -> Self { Self(400_106, "\"\(name)\" must not be negative.") }
  static func positive(_ name: String) -> Self { Self(400_107, "\"\(name)\" must not be positive.") }
  static func tooLong(_ name: String, max: Int) -> Self {
    Self(400_110, "\"\(name)\" must be at most \(max) characters long.")
  }
  static func invalid(_ name: String) -> Self { Self(400_111, "\"\(name)\" has an invalid value.") }
  static func outOfRange(_ name: String) -> Self { Self(400_113, "\"\(name)\" is out of range.") }
  static func characterNotAllowed(_ name: String) -> Self {
    Self(400_151, "\"\(name)\" holds a character that is not allowed.")
  }

  static let notAuthorized = Self(400_108, "Not authorized for the resource.")
  static let pageTokenExpired = Self(400_109, "The page token has expired.")
  static let incompatibleValues = Self(400_112, "The values do not go together.")
  static let badResourceURL = Self(400_114, "The resource's URL is not valid.")
  static let parametersMissing = Self(400_402, "Parameters are missing.")
  static let bodyNotJSON = Self(400_403, "The body is not valid JSON.")
  static let badURL = Self(400_404, "The URL is not valid.")
  static let unacceptable = Self(400_920, "The request is not acceptable.")
  static let noEndpoint = Self(400_930, "There is no such endpoint.")
}

// MARK: - Missing or existing things

extension SendbirdError {
  /// Returns the error; `resource` is in the singular and capitalised: `User`, `Channel`.
  static func notFound(_ resource: String) -> Self { Self(400_201, "\"\(resource)\" not found.") }
  static func alreadyExists(_ resource: String) -> Self { Self(400_202, "\"\(resource)\" already exists.") }
  static func tooMany(_ items: String) -> Self { Self(400_203, "Too many \(items).") }
}

// MARK: - Access

extension SendbirdError {
  static let userDeactivated = Self(400_300, "User is deactivated.")
  static let userNotFound = Self(400_301, "User is deleted or not found.")
  static let accessTokenInvalid = Self(400_302, "Access token is not valid.")
  static let sessionKeyInvalid = Self(400_303, "Session key is not valid.")
  static let applicationNotFound = Self(400_304, "Application is not found.")
  static let userIDTooLong = Self(400_305, "User ID is too long.")
  static let quotaUsedUp = Self(400_306, "The quota is used up.")
  static let domainNotAllowed = Self(400_307, "The domain is not allowed.")
  static let sessionExpired = Self(400_309, "This session has expired.")
  static let sessionRevoked = Self(400_310, "This session has been revoked.")
  static let sessionTypeInvalid = Self(400_312, "The session's type is not valid.")
  static let serviceNotAllowed = Self(400_313, "The session is not for this service.")
  static let apiTokenInvalid = Self(400_401, "Api-Token is not valid.")
  static let apiTokenMissing = Self(400_401, "Api-Token is missing.")
  static let tooManyConnectionsOfUser = Self(400_500, "Too many connections of the user.")
  static let tooManyConnections = Self(400_501, "Too many connections of the application.")
  static let userBlocked = Self(400_700, "The user is blocked.")
  static let userBanned = Self(400_750, "The user is banned.")
  static let applicationUnavailable = Self(403_100, "The application is not available.")
  static let connectionRequired = Self(800_101, "Connection is required.")
}

// MARK: - Failures

extension SendbirdError {
  static let internalError = Self(500_901, "Internal error.")
  static let rateLimited = Self(500_910, "Too many requests.")
  static let temporaryFailure = Self(503, "Temporary failure.")
}

// MARK: - Answers to socket commands

extension SendbirdError {
  static let loginRequired = Self(900_010, "Login is required.")
  static let notAMember = Self(900_020, "Not a member of the channel.")
  static let senderDeactivated = Self(900_021, "User is deactivated.")
  static let notTheOwner = Self(900_022, "Not the message's owner.")
  static let mayNotSend = Self(900_023, "Not allowed to send.")
  static let guestNotAllowed = Self(900_030, "Guest is not allowed.")
  static let mutedInApplication = Self(900_040, "Muted in the application.")
  static let mutedInChannel = Self(900_041, "Muted in the channel.")
  static let channelFrozen = Self(900_050, "The channel is frozen.")
  static let channelDeleted = Self(900_070, "The channel is deleted.")
  static let blocked = Self(900_080, "Blocked.")
  static let receiverDeactivated = Self(900_081, "The receiver is deactivated.")
  static let wrongChannelType = Self(900_090, "The channel is of another type.")
  static let banned = Self(900_100, "Banned from the channel.")
  static let tooManyMessages = Self(900_200, "Too many messages.")
  static let messageNotFound = Self(900_300, "The message is not found.")
  static let tooManyParticipants = Self(900_400, "Too many participants.")
  static let channelNotFound = Self(900_500, "The channel is not found.")
}
