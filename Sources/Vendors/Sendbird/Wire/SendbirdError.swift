/// An error in Sendbird's numbers: 4xxxxx over HTTP and in a login's answer, 9xxxxx in answer to a command. 800101 is
/// of the client's own table, where the gateway returns it on the client's behalf.
package struct SendbirdError: Error, Hashable, Sendable {
  package let code: Int
  /// The text for people. Never contains a token or a secret.
  package let message: String

  package init(_ code: Int, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The status over HTTP. Only the exceptions are documented; clients read the code.
  package var httpStatus: Int {
    switch code {
    case 403_100: 403
    case 500_601, 500_602, 500_901: 500
    case 500_910: 429
    case 503: 503
    default: 400
    }
  }

  /// Returns the same error with a detail of this occurrence.
  package func detailed(_ detail: String) -> SendbirdError {
    SendbirdError(code, "\(message) \(detail)")
  }

  /// Returns whether both have the same code.
  package func isSame(as other: SendbirdError) -> Bool {
    code == other.code
  }
}

// MARK: - Contents of requests

extension SendbirdError {
  package static func notString(_ name: String) -> Self { Self(400_100, "\"\(name)\" must be a string.") }
  package static func notNumber(_ name: String) -> Self { Self(400_101, "\"\(name)\" must be a number.") }
  package static func notList(_ name: String) -> Self { Self(400_102, "\"\(name)\" must be a list.") }
  package static func notJSON(_ name: String) -> Self { Self(400_103, "\"\(name)\" must be a JSON object.") }
  package static func notBoolean(_ name: String) -> Self { Self(400_104, "\"\(name)\" must be a boolean.") }
  package static func missing(_ name: String) -> Self { Self(400_105, "\"\(name)\" is required.") }
  package static func negative(_ name: String) -> Self { Self(400_106, "\"\(name)\" must not be negative.") }
  package static func positive(_ name: String) -> Self { Self(400_107, "\"\(name)\" must not be positive.") }
  package static func tooLong(_ name: String, max: Int) -> Self {
    Self(400_110, "\"\(name)\" must be at most \(max) characters long.")
  }
  package static func invalid(_ name: String) -> Self { Self(400_111, "\"\(name)\" has an invalid value.") }
  package static func outOfRange(_ name: String) -> Self { Self(400_113, "\"\(name)\" is out of range.") }
  package static func characterNotAllowed(_ name: String) -> Self {
    Self(400_151, "\"\(name)\" holds a character that is not allowed.")
  }

  package static let notAuthorized = Self(400_108, "Not authorized for the resource.")
  package static let pageTokenExpired = Self(400_109, "The page token has expired.")
  package static let incompatibleValues = Self(400_112, "The values do not go together.")
  package static let badResourceURL = Self(400_114, "The resource's URL is not valid.")
  package static let parametersMissing = Self(400_402, "Parameters are missing.")
  package static let bodyNotJSON = Self(400_403, "The body is not valid JSON.")
  package static let badURL = Self(400_404, "The URL is not valid.")
  package static let unacceptable = Self(400_920, "The request is not acceptable.")
  package static let noEndpoint = Self(400_930, "There is no such endpoint.")
}

// MARK: - Missing or existing things

extension SendbirdError {
  /// Returns the error; `resource` is in the singular and capitalised: `User`, `Channel`.
  package static func notFound(_ resource: String) -> Self { Self(400_201, "\"\(resource)\" not found.") }
  package static func alreadyExists(_ resource: String) -> Self { Self(400_202, "\"\(resource)\" already exists.") }
  package static func tooMany(_ items: String) -> Self { Self(400_203, "Too many \(items).") }
}

// MARK: - Access

extension SendbirdError {
  package static let userDeactivated = Self(400_300, "User is deactivated.")
  package static let userNotFound = Self(400_301, "User is deleted or not found.")
  package static let accessTokenInvalid = Self(400_302, "Access token is not valid.")
  package static let sessionKeyInvalid = Self(400_303, "Session key is not valid.")
  package static let applicationNotFound = Self(400_304, "Application is not found.")
  package static let userIDTooLong = Self(400_305, "User ID is too long.")
  package static let quotaUsedUp = Self(400_306, "The quota is used up.")
  package static let domainNotAllowed = Self(400_307, "The domain is not allowed.")
  package static let sessionExpired = Self(400_309, "This session has expired.")
  package static let sessionRevoked = Self(400_310, "This session has been revoked.")
  package static let sessionTypeInvalid = Self(400_312, "The session's type is not valid.")
  package static let serviceNotAllowed = Self(400_313, "The session is not for this service.")
  package static let apiTokenInvalid = Self(400_401, "Api-Token is not valid.")
  package static let apiTokenMissing = Self(400_401, "Api-Token is missing.")
  package static let tooManyConnectionsOfUser = Self(400_500, "Too many connections of the user.")
  package static let tooManyConnections = Self(400_501, "Too many connections of the application.")
  package static let userBlocked = Self(400_700, "The user is blocked.")
  package static let userBanned = Self(400_750, "The user is banned.")
  package static let applicationUnavailable = Self(403_100, "The application is not available.")
  package static let connectionRequired = Self(800_101, "Connection is required.")
}

// MARK: - Failures

extension SendbirdError {
  package static let internalError = Self(500_901, "Internal error.")
  package static let rateLimited = Self(500_910, "Too many requests.")
  package static let temporaryFailure = Self(503, "Temporary failure.")
}

// MARK: - Answers to socket commands

extension SendbirdError {
  package static let loginRequired = Self(900_010, "Login is required.")
  package static let notAMember = Self(900_020, "Not a member of the channel.")
  package static let senderDeactivated = Self(900_021, "User is deactivated.")
  package static let notTheOwner = Self(900_022, "Not the message's owner.")
  package static let mayNotSend = Self(900_023, "Not allowed to send.")
  package static let guestNotAllowed = Self(900_030, "Guest is not allowed.")
  package static let mutedInApplication = Self(900_040, "Muted in the application.")
  package static let mutedInChannel = Self(900_041, "Muted in the channel.")
  package static let channelFrozen = Self(900_050, "The channel is frozen.")
  package static let channelDeleted = Self(900_070, "The channel is deleted.")
  package static let blocked = Self(900_080, "Blocked.")
  package static let receiverDeactivated = Self(900_081, "The receiver is deactivated.")
  package static let wrongChannelType = Self(900_090, "The channel is of another type.")
  package static let banned = Self(900_100, "Banned from the channel.")
  package static let tooManyMessages = Self(900_200, "Too many messages.")
  package static let messageNotFound = Self(900_300, "The message is not found.")
  package static let tooManyParticipants = Self(900_400, "Too many participants.")
  package static let channelNotFound = Self(900_500, "The channel is not found.")
}
