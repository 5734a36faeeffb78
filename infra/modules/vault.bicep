// One Key Vault whose secrets all belong together, so that one role over all of it is the least.
import { grant } from '../types.bicep'

@description('Its name: 3 to 24 letters, digits and dashes, unique in the world.')
@minLength(3)
@maxLength(24)
param name string

@description('Where it is kept.')
param location string

@description('Who may do what with its secrets.')
param grants grant[]

@description('The tags of every resource.')
param tags { *: string }

// Without createMode: whether a deleted vault of this name comes back is a person's choice.
resource vault 'Microsoft.KeyVault/vaults@2026-05-15' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: tenant().tenantId
    sku: {
      family: 'A'
      name: 'standard'
    }
    enableRbacAuthorization: true
    softDeleteRetentionInDays: 7
    publicNetworkAccess: 'Enabled'
  }
}

resource roles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    scope: vault
    name: guid(vault.id, grant.principalId, grant.role)
    properties: {
      principalId: grant.principalId
      principalType: grant.principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]

@description('Its address.')
output uri string = vault.properties.vaultUri
