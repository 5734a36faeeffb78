@description('What the identity is called.')
param name string

@description('Where it is kept.')
param location string

@description('The tags of every resource.')
param tags { *: string }

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: name
  location: location
  tags: tags
}

@description('Its resource id.')
output id string = identity.id

@description('What a credential asks for it by.')
output clientId string = identity.properties.clientId

@description('What roles are given to.')
output principalId string = identity.properties.principalId
