// Where the app's log lines and the machine's metrics go; a day costs no more than its cap.
import { grant } from '../types.bicep'

@description('What the names begin with.')
param prefix string

@description('Where it is kept.')
param location string

@description('Gigabytes a day, after which nothing more is taken.')
@minValue(1)
param dailyCap int

@description('Who may send it something.')
param grants grant[]

@description('The tags of every resource.')
param tags { *: string }

resource workspace 'Microsoft.OperationalInsights/workspaces@2026-03-01' = {
  name: 'log-${prefix}'
  location: location
  tags: tags
  properties: {
    sku: {
      name: 'PerGB2018'
    }
    retentionInDays: 30
    features: {
      disableLocalAuth: true
    }
    workspaceCapping: {
      dailyQuotaGb: dailyCap
    }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: 'appi-${prefix}'
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    DisableLocalAuth: true
    WorkspaceResourceId: workspace.id
  }
}

resource roles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for grant in grants: {
    scope: insights
    name: guid(insights.id, grant.principalId, grant.role)
    properties: {
      principalId: grant.principalId
      principalType: grant.principalType
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', grant.role)
    }
  }
]

@description('The workspace, which has all tables.')
output workspaceId string = workspace.id

@description('What the app sends to.')
output insightsId string = insights.id

@description('Its address; whoever sends needs a role too, for no key is taken.')
output connection string = insights.properties.ConnectionString
