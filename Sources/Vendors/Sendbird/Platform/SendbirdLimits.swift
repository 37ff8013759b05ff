/// The maximum lengths and counts, in characters unless stated otherwise. The documented limits where there are any.
enum SendbirdLimits {
  static let userID = 80
  static let nickname = 80
  static let url = 2_048
  static let discoveryKey = 256
  static let discoveryKeys = 50
  static let contacts = 100
  static let languages = 4
  static let language = 20
  static let phoneNumber = 40
  static let metadataCount = 50
  static let metadataKey = 128
  static let metadataValue = 190

  static let channelURL = 100
  static let channelName = 191
  static let customType = 128
  static let channelData = 65_535
  static let operators = 100
  static let description = 250
  /// Ten years.
  static let barSeconds: Int64 = 315_360_000
  static let pushToken = 4_096
  static let pushSound = 191
  static let timeZone = 64
  static let quietWindows = 10
  static let usersOfRequest = 100

  static let message = 5_000
  static let searched = 500
  static let report = 1_000
  static let poll = 500
  static let translations = 10
  static let reaction = 191
  static let messageData = 20_000
  static let fileName = 1_000
  static let thumbnails = 10
  /// Width or height of a picture.
  static let pixels: Int64 = 65_535
  static let mentions = 100
  static let metaArrays = 50
  /// In bytes.
  static let metaArray = 20_000

  static let page = 10
  static let pageMax = 100
  static let messagesOfSide = 200
}
